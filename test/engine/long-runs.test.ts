import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import type { Run } from '../../lib/domain/runs/runs.ts';
import { openDatabase, World, type WorldOptions } from './world/engine-world.ts';
import { runsOf, unfinishedOf } from './world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

interface Ended {
  readonly main: Run;
  readonly runs: readonly Run[];
  readonly executions: number;
  readonly days: number;
}

/** The length of the longest execution of the world, days. */
function longestOf({ spans }: World): number {
  return Math.max(...[...spans.values()].map(([first, last]) => (last - first) / 86_400_000));
}

/** Runs `main` to its end under the limits of Step Functions, which the local interpreter enforces. */
async function run(sources: Readonly<Record<string, string>>, input = '{}', options?: WorldOptions): Promise<Ended> {
  const world = new World(database, options);
  try {
    await world.store(sources);
    const { id, created } = await world.execute('main', input);
    await world.pass();
    const found = await runsOf(world);
    expect(found.filter(({ status }) => status === 'pending')).toEqual([]);
    expect(unfinishedOf(world)).toEqual([]);
    expect(longestOf(world)).toBeLessThan(365);
    const main = found.find((one) => one.id === id);
    if (main === undefined) throw new Error('there is no such run');
    return { main, runs: found, executions: main.executions, days: (main.updated - created) / 86_400_000 };
  } finally {
    await world.close();
  }
}

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
const QUICK = 'states: [{id: q, type: noop, transform: "jq({n: .n})"}]\n';
const SLEEPER = 'states: [{id: nap, type: delay, duration: PT3S, transform: "jq({n: .n})"}]\n';
const MAX_MS = 60_000;

describe('a long run', () => {
  test('may loop a hundred thousand times', { timeout: MAX_MS }, async () => {
    const loop = `timeouts: {interrupt: P1D, kill: P2D}
states:
- {id: add, type: noop, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < 100000)', transition: add}]}
`;
    const { main } = await run({ main: loop }, '{"n": 0}', { msPerRead: 0.05 });
    expect(main).toMatchObject({ status: 'complete', data: { n: 100_000 }, step: 200_000 });
  });

  test('calls ten thousand children that do not wait', { timeout: MAX_MS }, async () => {
    const main = `${KID}timeouts: {interrupt: P1D}
states: [{id: go, type: foreach, timeout: P1D, array: 'jq([range(10000) | {n: .}])', action: {function: kid}, transform: 'jq({count: (.return | length), last: .return[9999]})'}]
`;
    const { main: ended, runs } = await run({ kid: QUICK, main }, '{}', { msPerRead: 0.05 });
    expect(ended).toMatchObject({ status: 'complete', data: { count: 10_000, last: { n: 9999 } } });
    expect(runs.length).toBe(10_001);
  });

  test('calls a thousand children that wait, in rounds', { timeout: MAX_MS }, async () => {
    const main = `${KID}timeouts: {interrupt: P1D}
states: [{id: go, type: foreach, timeout: P1D, array: 'jq([range(1000) | {n: .}])', action: {function: kid}, transform: 'jq({count: (.return | length), sum: ([.return[].n] | add)})'}]
`;
    const { main: ended, runs, executions } = await run({ kid: SLEEPER, main });
    expect(ended).toMatchObject({ status: 'complete', data: { count: 1000, sum: 499_500 } });
    expect(runs.length).toBe(1001);
    expect(executions).toBeGreaterThan(1);
  });

  test('polls two thousand times, in several executions', { timeout: MAX_MS }, async () => {
    const poll = `timeouts: {interrupt: P9D, kill: P10D}
states:
- {id: nap, type: delay, duration: PT30S, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < 2000)', transition: nap}]}
`;
    const { main, executions } = await run({ main: poll }, '{"n": 0}');
    expect(main).toMatchObject({ status: 'complete', data: { n: 2000 }, waitCount: 2000 });
    expect(executions).toBe(3);
  });

  test('waits for a year and a half, in several executions', { timeout: MAX_MS }, async () => {
    const wait = `timeouts: {interrupt: P3Y, kill: P4Y}
states:
- {id: long, type: delay, duration: P400D, transition: more}
- {id: more, type: delay, duration: P100D, transition: last}
- {id: last, type: delay, duration: P50D}
`;
    const { main, executions, days } = await run({ main: wait });
    expect(main.status).toBe('complete');
    expect(days).toBe(550);
    expect(executions).toBeGreaterThan(1);
  });

  test('waits for a child that waits for more than a year', { timeout: MAX_MS }, async () => {
    const kid =
      'timeouts: {interrupt: P3Y, kill: P4Y}\nstates: [{id: long, type: delay, duration: P500D, transform: {waited: true}}]\n';
    const main = `${KID}timeouts: {interrupt: P3Y, kill: P4Y}
states: [{id: go, type: action, timeout: P2Y, action: {function: kid}}]
`;
    const { main: ended, days } = await run({ kid, main });
    expect(ended).toMatchObject({ status: 'complete', data: { return: { waited: true } } });
    expect(days).toBe(500);
  });
});

describe('a run with thirty megabytes of data', () => {
  const text = 'x'.repeat(30 * 1024 * 1024);
  const input = JSON.stringify({ text });

  test('keeps it through a delay', { timeout: MAX_MS }, async () => {
    const { main } = await run({ main: 'states: [{id: nap, type: delay, duration: PT1S}]\n' }, input);
    expect(main.status).toBe('complete');
    expect(main.data['text'] === text).toBe(true);
  });

  test('keeps it through the calls of a foreach', { timeout: MAX_MS }, async () => {
    const main = `${KID}states: [{id: go, type: foreach, array: 'jq([range(20) | {n: .}])', action: {function: kid}}]\n`;
    const { main: ended, runs } = await run({ kid: SLEEPER, main }, input);
    expect(ended.status).toBe('complete');
    expect(ended.data['return']).toHaveLength(20);
    expect(ended.data['text'] === text).toBe(true);
    expect(runs.every(({ id, input: bytes }) => id === ended.id || bytes.length < 100)).toBe(true);
  });

  test('passes it to a subflow and gets it back', { timeout: MAX_MS }, async () => {
    const main = `${KID}states: [{id: go, type: action, action: {function: kid}, transform: 'jq(.return)'}]\n`;
    const { main: ended } = await run({ kid: 'states: [{id: nap, type: delay, duration: PT3S}]\n', main }, input);
    expect(ended.status).toBe('complete');
    expect(ended.data['text'] === text).toBe(true);
  });
});
