import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import { recordText } from '../../lib/domain/runs/records.ts';
import type { Run } from '../../lib/domain/runs/runs.ts';
import { cases } from '../effort.ts';
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
    // The record does not grow with the run, its calls or its data.
    expect(main.record.flushed).toBeLessThanOrEqual(1);
    expect((recordText(main.record, main.created) ?? '').length).toBeLessThan(4096);
    return { main, runs: found, executions: main.executions, days: (main.updated - created) / 86_400_000 };
  } finally {
    await world.close();
  }
}

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
const QUICK = 'states: [{id: q, type: noop, transform: "jq({n: .n})"}]\n';
const SLEEPER = 'states: [{id: nap, type: delay, duration: PT3S, transform: "jq({n: .n})"}]\n';
const LOOPS = cases(20_000, 50_000);
const QUICK_CHILDREN = cases(2_000, 5_000);
const SLOW_CHILDREN = cases(500, 1000);
const POLLS = cases(1000, 2000);

describe('a run that goes on for long', () => {
  test(`may go round ${LOOPS} times`, async () => {
    const loop = `timeouts: {interrupt: P1D, kill: P2D}
states:
- {id: add, type: noop, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < ${LOOPS})', transition: add}]}
`;
    const { main } = await run({ main: loop }, '{"n": 0}', { msPerRead: 0.05 });
    expect(main).toMatchObject({ status: 'complete', data: { n: LOOPS }, step: 2 * LOOPS });
  });

  test(`calls ${QUICK_CHILDREN} children that need not wait`, async () => {
    const main = `${KID}timeouts: {interrupt: P1D}
states: [{id: go, type: foreach, timeout: P1D, array: 'jq([range(${QUICK_CHILDREN}) | {n: .}])', action: {function: kid}, transform: 'jq({count: (.return | length), last: .return[-1]})'}]
`;
    const { main: ended, runs } = await run({ kid: QUICK, main }, '{}', { msPerRead: 0.05 });
    expect(ended).toMatchObject({
      status: 'complete',
      data: { count: QUICK_CHILDREN, last: { n: QUICK_CHILDREN - 1 } },
    });
    expect(runs.length).toBe(QUICK_CHILDREN + 1);
  });

  test(`calls ${SLOW_CHILDREN} children that wait, in rounds`, async () => {
    const main = `${KID}timeouts: {interrupt: P1D}
states: [{id: go, type: foreach, timeout: P1D, array: 'jq([range(${SLOW_CHILDREN}) | {n: .}])', action: {function: kid}, transform: 'jq({count: (.return | length), sum: ([.return[].n] | add)})'}]
`;
    const { main: ended, runs, executions } = await run({ kid: SLEEPER, main });
    expect(ended).toMatchObject({
      status: 'complete',
      data: { count: SLOW_CHILDREN, sum: (SLOW_CHILDREN * (SLOW_CHILDREN - 1)) / 2 },
    });
    expect(runs.length).toBe(SLOW_CHILDREN + 1);
    expect(executions).toBeGreaterThan(1);
  });

  test(`polls ${POLLS} times, in several executions`, async () => {
    const poll = `timeouts: {interrupt: P9D, kill: P10D}
states:
- {id: nap, type: delay, duration: PT40S, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < ${POLLS})', transition: nap}]}
`;
    const { main, executions } = await run({ main: poll }, '{"n": 0}');
    expect(main).toMatchObject({ status: 'complete', data: { n: POLLS }, waitCount: POLLS });
    expect(executions).toBe(cases(2, 3));
  });

  test('waits for more than a year, in several executions', async () => {
    const wait = `timeouts: {interrupt: P3Y, kill: P4Y}
states:
- {id: long, type: delay, duration: P350D, transition: more}
- {id: more, type: delay, duration: P20D, transition: last}
- {id: last, type: delay, duration: P5D}
`;
    const { main, executions, days } = await run({ main: wait });
    expect(main.status).toBe('complete');
    expect(days).toBe(375);
    expect(executions).toBeGreaterThan(1);
  });

  test('waits for a child that waits for more than a year', async () => {
    const kid =
      'timeouts: {interrupt: P3Y, kill: P4Y}\nstates: [{id: long, type: delay, duration: P370D, transform: {waited: true}}]\n';
    const main = `${KID}timeouts: {interrupt: P3Y, kill: P4Y}
states: [{id: go, type: action, timeout: P2Y, action: {function: kid}}]
`;
    const { main: ended, days } = await run({ kid, main });
    expect(ended).toMatchObject({ status: 'complete', data: { return: { waited: true } } });
    expect(days).toBe(370);
  });
});

describe('a run with thirty megabytes of data', () => {
  const text = 'x'.repeat(30 * 1024 * 1024);
  const input = JSON.stringify({ text });

  test('takes them through a delay', async () => {
    const { main } = await run({ main: 'states: [{id: nap, type: delay, duration: PT1S}]\n' }, input);
    expect(main.status).toBe('complete');
    expect(main.data['text'] === text).toBe(true);
  });

  test('takes them past the calls of a foreach', async () => {
    const main = `${KID}states: [{id: go, type: foreach, array: 'jq([range(20) | {n: .}])', action: {function: kid}}]\n`;
    const { main: ended, runs } = await run({ kid: SLEEPER, main }, input);
    expect(ended.status).toBe('complete');
    expect(ended.data['return']).toHaveLength(20);
    expect(ended.data['text'] === text).toBe(true);
    expect(runs.every(({ id, input: bytes }) => id === ended.id || bytes.length < 100)).toBe(true);
  });

  test('hands them to a subflow and takes them back', async () => {
    const main = `${KID}states: [{id: go, type: action, action: {function: kid}, transform: 'jq(.return)'}]\n`;
    const { main: ended } = await run({ kid: 'states: [{id: nap, type: delay, duration: PT3S}]\n', main }, input);
    expect(ended.status).toBe('complete');
    expect(ended.data['text'] === text).toBe(true);
  });
});
