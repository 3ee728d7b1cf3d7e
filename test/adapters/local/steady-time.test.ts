import { beforeEach, describe, expect, test } from 'vitest';
import { steadyTime } from '../../../lib/adapters/local/steady-time.ts';

const BEGIN = Date.UTC(2026, 0, 15, 12);
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

let [wall, monotonic, boot] = [0, 0, 0];
let now: () => number;
let reported: number[];

function pass(milliseconds: number): void {
  wall += milliseconds;
  monotonic += milliseconds;
  boot += milliseconds;
}

/** Reads the time every second, and checks that it never runs backwards. */
function passBySeconds(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += SECOND) {
    const before = now();
    pass(SECOND);
    expect(now()).toBeGreaterThan(before);
  }
}

beforeEach(() => {
  [wall, monotonic, boot] = [BEGIN, 5000, 90_000];
  reported = [];
  const onSet = (milliseconds: number) => reported.push(milliseconds);
  now = steadyTime({ wall: () => wall, monotonic: () => monotonic, boot: () => boot, onSet });
});

describe('the time of the local service', () => {
  test('is that of the system, with its small corrections', () => {
    expect(now()).toBe(BEGIN);
    passBySeconds(HOUR);
    wall += 300;
    expect(now()).toBe(BEGIN + HOUR + 300);
    expect(reported).toEqual([]);
  });

  test('passes slower after the clock was set back by 5 s, until both are the same', () => {
    wall -= 5 * SECOND;
    expect(now()).toBe(BEGIN);
    passBySeconds(MINUTE);
    expect(now()).toBe(wall);
    expect(reported).toEqual([-5 * SECOND]);
  });

  test.each([
    ['an hour', HOUR],
    ['three days', 3 * DAY],
  ])('ignores that the clock was set ahead by %s and back', (_name, ahead) => {
    wall += ahead;
    passBySeconds(5 * MINUTE);
    expect(now()).toBe(BEGIN + 5 * MINUTE);
    wall -= ahead;
    passBySeconds(HOUR);
    expect(now()).toBe(wall);
    expect(reported).toEqual([ahead]);
  });

  test('follows a clock that was set ahead for good', () => {
    wall += 3 * DAY;
    passBySeconds(11 * MINUTE);
    expect(now()).toBe(wall);
  });

  test('counts the sleep of the machine at once', () => {
    wall += HOUR;
    boot += HOUR;
    expect(now()).toBe(BEGIN + HOUR);
    passBySeconds(MINUTE);
    expect(now()).toBe(wall);
    expect(reported).toEqual([]);
  });
});

describe('a start whose clock is behind the process before', () => {
  const startBehind = (behind: number) => {
    const expected = wall + behind;
    const onSet = (milliseconds: number) => reported.push(milliseconds);
    now = steadyTime({ wall: () => wall, monotonic: () => monotonic, boot: () => boot, expected, onSet });
    return expected;
  };

  test.each([
    ['20 s', 20 * SECOND],
    ['two minutes', 2 * MINUTE],
    ['an hour', HOUR],
    ['a day', DAY],
  ])('continues its time when that is %s later, and passes slower', (_name, behind) => {
    const expected = startBehind(behind);
    expect(now()).toBe(expected);
    const passed = Math.min(11 * behind, HOUR);
    passBySeconds(passed);
    expect(now()).toBe(Math.max(wall, expected + passed * 0.9));
    expect(reported).toEqual([-behind]);
  });

  test('takes the time of the system when the other was wrong by more than a day', () => {
    startBehind(DAY + SECOND);
    expect(now()).toBe(wall);
  });
});
