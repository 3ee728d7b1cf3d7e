import { expect, test } from 'vitest';
import { type Alarm, Timers } from '../../../../lib/adapters/local/concurrency/timers.ts';
import fc from '../../../fast-check.ts';

/** An alarm that rings on demand; `now` moves to its time. */
function handAlarm(): { now: () => number; alarm: Alarm; ringAll: () => void } {
  let now = 0;
  let set: { due: number; ring: () => void } | undefined;
  const alarm: Alarm = (milliseconds, ring) => {
    const own = { due: now + milliseconds, ring };
    set = own;
    return () => {
      if (set === own) set = undefined;
    };
  };
  const ringAll = (): void => {
    for (let next = set; next; next = set) {
      set = undefined;
      now = next.due;
      next.ring();
    }
  };
  return { now: () => now, alarm, ringAll };
}

test('timers ring in the order of their time, never early, and cancelled ones never', () => {
  const timer = fc.record({ due: fc.integer({ min: 0, max: 300_000 }), cancelled: fc.boolean() });
  fc.assert(
    fc.property(fc.array(timer, { maxLength: 300 }), (wanted) => {
      const { now, alarm, ringAll } = handAlarm();
      const timers = new Timers(now, alarm);
      const rung: { due: number; at: number; index: number }[] = [];
      const made = wanted.map(({ due }, index) => timers.at(due, () => rung.push({ due, at: now(), index })));
      for (const [index, { cancelled }] of wanted.entries()) if (cancelled) made[index]?.cancel();
      ringAll();
      const kept = wanted.map(({ due, cancelled }, index) => ({ due, at: due, index, cancelled }));
      const expected = kept.filter(({ cancelled }) => !cancelled).sort((a, b) => a.due - b.due || a.index - b.index);
      expect(rung).toEqual(expected.map(({ due, at, index }) => ({ due, at, index })));
      expect(timers.size).toBe(0);
    }),
  );
});

test('a timer set while others ring waits for the next alarm', () => {
  const { now, alarm, ringAll } = handAlarm();
  const timers = new Timers(now, alarm);
  const rung: string[] = [];
  timers.at(10, () => {
    timers.at(0, () => rung.push('late'));
    rung.push('first');
  });
  timers.at(10, () => rung.push('second'));
  ringAll();
  expect(rung).toEqual(['first', 'second', 'late']);
});

test('nothing rings after closing', () => {
  const { now, alarm, ringAll } = handAlarm();
  const timers = new Timers(now, alarm);
  let rung = 0;
  timers.at(10, () => rung++);
  timers.close();
  ringAll();
  expect(rung).toBe(0);
});
