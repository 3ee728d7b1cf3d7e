import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';

/** Sleeps for as long as its input demands, or fails with a code of its own. */
const WORKER = `states:
- {id: look, type: switch, conditions: [{condition: 'jq(.bad == true)', transition: fail}], defaultTransition: nap}
- {id: nap, type: delay, duration: PT10S, transition: done}
- {id: done, type: noop, transform: 'jq({done: .n})'}
- {id: fail, type: error, error: kid.bad, message: 'number %s is bad', args: [jq(.n)]}
`;

interface Ended {
  readonly main: Run;
  readonly children: readonly Run[];
  readonly seconds: number;
  /** The first and last call of each child's execution. */
  readonly spans: readonly (readonly [number, number])[];
}

async function run(
  fields: string,
  list: readonly object[],
  web = new ProgrammedWeb(),
  functions = KID,
): Promise<Ended> {
  const world = new World(database, { web });
  worlds.push(world);
  await world.store({
    kid: WORKER,
    main: `${functions}states:\n- {id: go, type: foreach, array: jq(.list), ${fields}}\n`,
  });
  const { id, created } = await world.execute('main', JSON.stringify({ list }));
  await world.pass();
  expect(unfinishedOf(world)).toEqual([]);
  const found = await runsOf(world);
  const main = found.find((one) => one.id === id);
  if (main === undefined) throw new Error('there is no such run');
  const spans = [...world.spans].flatMap(([name, span]) => (name.startsWith(id) ? [] : [span]));
  return { main, children: found.filter((one) => one.id !== id), seconds: (main.updated - created) / 1000, spans };
}

const numbers = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n }));

/** How many executions were in progress at once, at most; they are given by their first and last call. */
const mostAtOnce = (spans: readonly (readonly [number, number])[]): number =>
  Math.max(...spans.map(([begin]) => spans.filter(([from, to]) => from <= begin && to > begin).length));

describe('the width of a foreach', () => {
  test.each([
    [1, 30],
    [2, 20],
    [3, 10],
    [50, 10],
  ])('of %d makes at most so many calls at once', async (width, seconds) => {
    const ended = await run(`action: {function: kid}, width: ${width}`, numbers(3));
    expect(ended.main.data['return']).toEqual([{ done: 0 }, { done: 1 }, { done: 2 }]);
    expect(mostAtOnce(ended.spans)).toBe(Math.min(width, 3));
    expect(ended.seconds).toBe(seconds);
  });

  test('does not prolong the timeout of the state for calls that begin late', async () => {
    const { main, seconds } = await run('action: {function: kid}, width: 1, timeout: PT15S', numbers(3));
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
    expect(seconds).toBe(15);
  });

  test('holds for more calls than a machine waits for at once', async () => {
    const { main, spans } = await run('action: {function: kid}, width: 20', numbers(230));
    expect(main.data['return']).toEqual(numbers(230).map((_, n) => ({ done: n })));
    expect(mostAtOnce(spans)).toBe(20);
  });

  test('holds for calls of native functions within the step', async () => {
    let open = 0;
    let most = 0;
    const web = new ProgrammedWeb(async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return json({});
    });
    const functions = 'functions: [{id: f, type: http, url: https://api.test}]\n';
    await run('action: {function: f}, width: 2', numbers(9), web, functions);
    expect(web.requests).toHaveLength(9);
    expect(most).toBe(2);
  });
});

describe('a foreach that collects errors', () => {
  const COLLECT = 'action: {function: kid}, collect: errors';

  test('keeps the results of the calls that succeed, and lists the failures', async () => {
    const { main, children } = await run(COLLECT, [{ n: 0 }, { n: 1, bad: true }, { n: 2 }]);
    expect(main.status).toBe('complete');
    expect(main.data['return']).toEqual({
      results: [{ done: 0 }, null, { done: 2 }],
      errors: [{ index: 1, code: 'kid.bad', message: 'number 1 is bad' }],
    });
    expect(children.map(({ status }) => status).toSorted()).toEqual(['complete', 'complete', 'failed']);
  });

  test('lists exhausted retries, and elements that cannot be a call', async () => {
    const fields = "action: {function: kid, retries: {max_attempts: 1, delay: PT2S, codes: ['.*']}}, collect: errors";
    const { main } = await run(fields, [{ n: 0, bad: true }, 7 as unknown as object, { n: 2 }]);
    expect(main.data['return']).toEqual({
      results: [null, null, { done: 2 }],
      errors: [
        {
          index: 0,
          code: 'service.retries.exceeded',
          message: "maximum retries exceeded: the last attempt failed with 'kid.bad': number 0 is bad",
        },
        {
          index: 1,
          code: 'service.jq.notObject',
          message: 'the `jq` or `js` command produced a non-object output',
        },
      ],
    });
  });

  test('has two empty lists for an empty list', async () => {
    expect((await run(COLLECT, [])).main.data['return']).toEqual({ results: [], errors: [] });
  });

  test('still fails when its time is over', async () => {
    const { main } = await run(`${COLLECT}, timeout: PT5S`, numbers(2));
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
  });

  test('still fails for a subflow that does not exist', async () => {
    const functions = 'functions: [{id: kid, type: subflow, workflow: nowhere}]\n';
    const { main } = await run(COLLECT, numbers(2), new ProgrammedWeb(), functions);
    expect(main).toMatchObject({ status: 'failed', code: 'service.workflow.notfound' });
  });
});

test('a retry of an http function in a foreach has the data of its element', async () => {
  let tries = 0;
  const web = new ProgrammedWeb(() => json({}, ++tries === 1 ? 503 : 200));
  const functions = "functions: [{id: f, type: http, url: 'https://api.test/jq(.n)'}]\n";
  const fields = "action: {function: f, retries: {max_attempts: 1, delay: PT2S, codes: ['.*']}}";
  const { main } = await run(fields, [{ n: 5 }], web, functions);
  expect(main.status).toBe('complete');
  expect(web.requests.map(({ url }) => url.pathname)).toEqual(['/5', '/5']);
});
