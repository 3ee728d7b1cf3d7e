import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { stepsWithData, toTimeline } from '../../../lib/domain/instances/timeline.ts';
import { recordText } from '../../../lib/domain/runs/records.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { rerun } from '../../../lib/engine/requests/start/rerun.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  world = new World(database);
});
afterEach(() => world.close());
afterAll(() => database.close());

const PLAIN = { from: '', revision: 'pinned', patch: [], repeat: 'failed' } as const;

/** Runs a workflow to its end. */
async function run(source: string, input: string, others: Record<string, string> = {}): Promise<runs.Run> {
  await world.store({ ...others, main: source });
  return end(await world.execute('main', input));
}

async function end({ id }: runs.Run): Promise<runs.Run> {
  await world.pass();
  const ended = await runs.find(world.reliable, id);
  if (ended === undefined) throw new Error('the run is gone');
  return ended;
}

describe('the record of a run', () => {
  test('has each state with its transition, the reason of it, and the change of the data', async () => {
    const ended = await run(
      `states:
- {id: a, type: noop, transform: 'jq({n: 2, old: .x})', transition: b}
- {id: b, type: switch, conditions: [{condition: 'jq(.n == 1)', transition: c}, {condition: 'jq(.n == 2)', transition: c}]}
- {id: c, type: noop, transform: 'jq({n: 3})'}
`,
      '{"x": 1}',
    );
    const { steps } = await toTimeline(world.reliable, ended);
    expect(steps).toMatchObject([
      {
        n: 1,
        state: 'a',
        type: 'noop',
        to: 'b',
        change: { patch: [{ op: 'add', path: '/n', value: 2 }, { path: '/old' }, { op: 'remove', path: '/x' }] },
      },
      { n: 2, state: 'b', type: 'switch', to: 'c', because: 'condition 1' },
      { n: 3, state: 'c', type: 'noop' },
    ]);
    expect(await stepsWithData(world.reliable, ended)).toMatchObject([
      { before: { x: 1 }, after: { n: 2, old: 1 } },
      { before: { n: 2, old: 1 }, after: { n: 2, old: 1 } },
      { before: { n: 2, old: 1 }, after: { n: 3 } },
    ]);
  });

  test('has the error of a state, the catch that took it, and the calls with their attempts', async () => {
    const kid = 'states: [{id: no, type: error, error: my.code, message: bad}]\n';
    const ended = await run(
      `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- id: go
  type: action
  action: {function: kid, retries: {max_attempts: 1, delay: PT2S, codes: ['my.*']}}
  catch: [{error: other}, {error: 'service.retries.exceeded', transition: done}]
- {id: done, type: noop}
`,
      '{}',
      { kid },
    );
    const { steps } = await toTimeline(world.reliable, ended);
    expect(steps[0]).toMatchObject({
      state: 'go',
      to: 'done',
      because: 'catch 1',
      error: {
        code: 'service.retries.exceeded',
        message: "maximum retries exceeded: the last attempt failed with 'my.code': bad",
      },
      calls: [
        { call: 0, attempt: 0, error: { code: 'my.code', message: 'bad' }, retryInMs: 2000 },
        { call: 0, attempt: 1, error: { code: 'my.code', message: 'bad' } },
      ],
      callCount: 2,
    });
  });

  test('of a loop keeps the first visits and the newest ones, counts the others and stays small', async () => {
    const ended = await run(
      `states:
- {id: a, type: noop, transform: 'jq(.n += 1)', transition: b}
- {id: b, type: switch, conditions: [{condition: 'jq(.n < 1500)', transition: a}], defaultTransition: c}
- {id: c, type: noop}
`,
      '{"n": 0}',
    );
    const { steps, elided } = await toTimeline(world.reliable, ended);
    expect(steps).toHaveLength(17);
    expect(steps.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, ...Array.from({ length: 11 }, (_, i) => 2991 + i)]);
    expect(elided).toEqual({ from: 7, to: 2990, by: { a: 1492, b: 1492 } });
    const known = (await stepsWithData(world.reliable, ended)).map(({ before }) => before?.['n']);
    expect(known.slice(0, 8)).toEqual([0, 1, 1, 2, 2, 3, 1495, 1496]);
    expect(recordText(ended.record, ended.created)?.length).toBeLessThan(3000);
  });

  test('keeps no data that is larger than its bound, and the run can still be repeated from its failure', async () => {
    const ended = await run(
      `states:
- {id: a, type: noop, transform: 'jq(. + {big: ("x" * 1100000)})', transition: b}
- {id: b, type: noop, transform: 'jq(.n = 1)', transition: c}
- {id: c, type: error, error: my.code, message: no, transform: 'jq(nosuch)'}
`,
      '{}',
    );
    const { steps } = await toTimeline(world.reliable, ended);
    expect(steps[0]?.change).toEqual({ omitted: expect.any(Number) });
    const data = await stepsWithData(world.reliable, ended);
    expect(data[1]?.before).toBeUndefined();
    expect(data[2]?.before).toMatchObject({ n: 1 });
    await expect(rerun(world.ports, ended, { ...PLAIN, from: 'b' })).rejects.toThrow('was not recorded');
    const again = await end((await rerun(world.ports, ended, { ...PLAIN, from: 'c' })).run);
    expect(again.code).toBe(ended.code);
  });
});

describe('a run that repeats another one', () => {
  test('begins at a state with the recorded data and a patch, and both know each other', async () => {
    const ended = await run(
      `states:
- {id: a, type: noop, transform: 'jq({n: 1})', transition: b}
- {id: b, type: noop, transform: 'jq({n: (.n + 1)})', transition: c}
- {id: c, type: noop, transform: 'jq({n: (.n * 10)})'}
`,
      '{}',
    );
    const patch = [{ op: 'replace', path: '/n', value: 6 }];
    const again = await end((await rerun(world.ports, ended, { ...PLAIN, from: 'b', patch })).run);
    expect(again).toMatchObject({ status: 'complete', data: { n: 70 }, flow: ['b', 'c'], rerunOf: ended.id });
    expect((await end(ended)).reruns).toEqual([again.id]);
    const third = await end((await rerun(world.ports, again, { ...PLAIN, from: 'c' })).run);
    expect(third.data).toEqual({ n: 70 });
  });

  test('is refused with a reason', async () => {
    const ended = await run('states: [{id: a, type: noop}, {id: b, type: noop}]\n', '{}');
    const refused = (wanted: object) => expect(rerun(world.ports, ended, { ...PLAIN, ...wanted })).rejects;
    await refused({ from: 'nosuch' }).toThrow("has no state 'nosuch'");
    await refused({ from: 'b' }).toThrow("no visit of the state 'b'");
    await refused({ patch: [{ op: 'remove', path: '/nosuch' }] }).toThrow('patch[0] cannot be applied');
    await refused({ patch: [7] }).toThrow('patch[0] is not an operation');
  });
});
