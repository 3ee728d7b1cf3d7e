import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anchoredTime, keepAnchor } from '../../../lib/adapters/local/clock-anchor.ts';
import { steadyTime } from '../../../lib/adapters/local/steady-time.ts';

const BEGIN = Date.UTC(2026, 0, 15, 12);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

let folder: string;
let [wall, uptime] = [0, 0];
let boot: string | undefined;
let stop: () => void;
const sources = { bootId: () => boot, uptime: () => uptime };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-clock-'));
  [wall, uptime, boot] = [BEGIN, HOUR, 'first'];
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

const pass = (milliseconds: number): void => {
  wall += milliseconds;
  uptime += milliseconds;
};

/** Starts a process on the folder; returns its time. Its monotonic clock begins anew. */
function start(): () => number {
  const began = uptime;
  const known = anchoredTime(folder, sources);
  const monotonic = () => uptime - began;
  const now = steadyTime({ wall: () => wall, monotonic, boot: () => uptime, ...known, onSet: () => undefined });
  stop = keepAnchor(folder, now, sources);
  return now;
}

test('an excursion of the clock by three days has no effect, with starts within it and after it', () => {
  expect(start()()).toBe(BEGIN);
  stop();
  wall += 3 * DAY;
  pass(MINUTE);
  const within = start();
  expect(within()).toBe(BEGIN + MINUTE);
  pass(MINUTE);
  expect(within()).toBe(BEGIN + 2 * MINUTE);
  stop();
  wall -= 3 * DAY;
  pass(MINUTE);
  expect(start()()).toBe(BEGIN + 3 * MINUTE);
});

test('a process that starts after the clock was set ahead follows it after ten minutes', () => {
  start();
  stop();
  wall += 3 * DAY;
  const now = start();
  expect(now()).toBe(BEGIN);
  pass(10 * MINUTE);
  now();
  expect(now()).toBe(BEGIN + 3 * DAY + 10 * MINUTE);
});

test.each([
  ['an hour continues the time before', HOUR, BEGIN],
  ['two days takes it', 2 * DAY, BEGIN - 2 * DAY],
])('a process that starts after the clock was set back by %s', (_, back, expected) => {
  start();
  stop();
  wall -= back;
  expect(start()()).toBe(expected);
});

test.each([
  ['the machine was booted meanwhile', () => ([wall, uptime, boot] = [BEGIN + DAY, MINUTE, 'second'])],
  ['the system has no id of its boot', () => ([wall, boot] = [BEGIN + DAY, undefined])],
  ['the file is damaged', () => ([wall] = [BEGIN + DAY, writeFileSync(join(folder, 'clock'), '{"boot":"first","ti')])],
  ['the file has no numbers', () => ([wall] = [BEGIN + DAY, writeFileSync(join(folder, 'clock'), '{"boot":"first"}')])],
])('the clock of the system counts at once if %s', (_why, change) => {
  start();
  stop();
  change();
  expect(start()()).toBe(BEGIN + DAY);
});

/** Boots the machine: it is off for a time, which its clock does not count. */
const reboot = (): void => {
  [uptime, boot] = [MINUTE, `after ${boot}`];
};

test('a clock that is behind after a boot does not take the service back, and is followed when it is right', () => {
  start();
  stop();
  reboot();
  wall -= 2 * HOUR;
  const now = start();
  expect(now()).toBe(BEGIN);
  pass(MINUTE);
  expect(now()).toBeGreaterThan(BEGIN);
  // A time server sets the time: the machine was off for a day.
  wall = BEGIN + DAY;
  now();
  pass(10 * MINUTE);
  now();
  expect(now()).toBe(BEGIN + DAY + 10 * MINUTE);
});

test('a clock that was wrong before a boot is left by a further start of the service', () => {
  start();
  stop();
  reboot();
  wall -= 3 * DAY;
  start();
  stop();
  expect(start()()).toBe(BEGIN - 3 * DAY);
});

test('the time before a boot is known to ten minutes after a power failure', () => {
  vi.useFakeTimers();
  start();
  for (let minutes = 0; minutes < 60; minutes += 1) {
    pass(MINUTE);
    vi.advanceTimersByTime(MINUTE);
  }
  vi.useRealTimers();
  reboot();
  wall -= 2 * HOUR;
  const { earliest = 0 } = anchoredTime(folder, sources);
  expect(BEGIN + HOUR - earliest).toBeLessThanOrEqual(11 * MINUTE);
});

test('the file is written only when the time of the process has another distance to the uptime, or after ten minutes', () => {
  start();
  const before = readFileSync(join(folder, 'clock'), 'utf8');
  pass(9 * MINUTE);
  stop();
  start();
  expect(readFileSync(join(folder, 'clock'), 'utf8')).toBe(before);
  pass(2 * MINUTE);
  stop();
  expect(readFileSync(join(folder, 'clock'), 'utf8')).not.toBe(before);
});
