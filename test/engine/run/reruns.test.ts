import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { toTimeline } from '../../../lib/domain/instances/timeline.ts';
import { recordFrom, recordText } from '../../../lib/domain/runs/records.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { planRerun, type Rerun, rerun } from '../../../lib/engine/requests/start/rerun.ts';
import type { WebRequest } from '../../../lib/ports/callees/web.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;
let web: ProgrammedWeb;
/** The numbers for which the server fails. */
let broken: number[];

const numberIn = ({ body }: WebRequest): number => (JSON.parse(Buffer.from(body ?? []).toString()) as { n: number }).n;
/** The numbers that were sent since the last look. */
const sent = (): number[] =>
  web.requests
    .splice(0)
    .map(numberIn)
    .toSorted((a, b) => a - b);

beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  broken = [];
  web = new ProgrammedWeb((request) => {
    const n = numberIn(request);
    return broken.includes(n) ? json({ wrong: n }, 500) : json({ double: 2 * n });
  });
  world = new World(database, { web });
});
afterEach(() => world.close());
afterAll(() => database.close());

const PLAIN: Rerun = { from: 'go', revision: 'pinned', patch: [], repeat: 'failed' };

async function end({ id }: runs.Run): Promise<runs.Run> {
  await world.pass();
  const ended = await runs.find(world.reliable, id);
  if (ended === undefined) throw new Error('the run is gone');
  return ended;
}

async function run(main: string, input: object, others: Readonly<Record<string, string>> = {}): Promise<runs.Run> {
  await world.store({ ...others, main });
  return end(await world.execute('main', JSON.stringify(input)));
}

const again = async (run: runs.Run, wanted: Partial<Rerun> = {}): Promise<runs.Run> =>
  end((await rerun(world.ports, run, { ...PLAIN, ...wanted })).run);

async function mend(source: string): Promise<void> {
  await workflows.update(world.reliable, await workflows.open(world.reliable, world.namespace, '/main'), source);
}

const HTTP = "{id: f, type: http, url: 'https://bank.test/pay', method: POST, body: 'jq({n})'}";
const NUMBERS = 'jq([.list[] | {n: .}])';

/** Makes a call of the server for each number, in different ways. */
const LOOPS: Readonly<Record<string, readonly [main: string, kid: string]>> = {
  'an HTTP function': [
    `functions: [${HTTP}]
states: [{id: go, type: foreach, array: '${NUMBERS}', action: {function: f}, transform: 'jq({sum: ([.return[].body.double] | add)})'}]
`,
    'states: [{id: a, type: noop}]\n',
  ],
  'a subflow that ends in place': [
    `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: foreach, array: '${NUMBERS}', action: {function: kid}, transform: 'jq({sum: ([.return[].double] | add)})'}]
`,
    `functions: [${HTTP}]
states: [{id: a, type: action, action: {function: f}, transform: 'jq({double: .return.body.double})'}]
`,
  ],
  'a subflow that waits': [
    `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: foreach, array: '${NUMBERS}', action: {function: kid}, transform: 'jq({sum: ([.return[].double] | add)})'}]
`,
    `functions: [${HTTP}]
states:
- {id: a, type: delay, duration: PT2S, transition: b}
- {id: b, type: action, action: {function: f}, transform: 'jq({double: .return.body.double})'}
`,
  ],
  'an HTTP function with retries': [
    `functions: [${HTTP}]
states: [{id: go, type: foreach, array: '${NUMBERS}', action: {function: f, retries: {max_attempts: 1, delay: PT1S, codes: ['.*']}}, transform: 'jq({sum: ([.return[].body.double] | add)})'}]
`,
    'states: [{id: a, type: noop}]\n',
  ],
};

describe.each(Object.entries(LOOPS))('a foreach over %s', (_, [main, kid]) => {
  test('repeats only the elements that failed or were not begun, through a chain of repetitions', async () => {
    broken = [5, 7];
    const list = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const ended = await run(main, { list }, { kid });
    expect(ended.status).toBe('failed');
    const done = new Set(sent().filter((n) => !broken.includes(n)));
    expect(done.size).toBeGreaterThan(3);

    broken = [7];
    const second = await again(ended);
    expect(second.status).toBe('failed');
    const repeated = sent();
    expect(repeated.filter((n) => done.has(n))).toEqual([]);
    for (const n of repeated) if (n !== 7) done.add(n);
    expect(done).toContain(5);

    broken = [];
    const third = await again(second);
    expect(third).toMatchObject({ status: 'complete', data: { sum: 110 } });
    expect(sent()).toEqual(list.filter((n) => !done.has(n)));
    const { steps } = await toTimeline(world.reliable, third);
    expect(steps[0]?.calls?.filter(({ reused }) => reused)).toHaveLength(done.size);
    expect(third.reuse?.results).toBeUndefined();

    // The state succeeded: it is repeated as a whole.
    expect(await again(third)).toMatchObject({ status: 'complete', data: { sum: 110 } });
    expect(sent()).toEqual(list);
  });

  test('makes all calls again where it is asked to', async () => {
    broken = [3];
    const ended = await run(main, { list: [1, 2, 3] }, { kid });
    sent();
    broken = [];
    expect(await again(ended, { repeat: 'all' })).toMatchObject({ status: 'complete', data: { sum: 12 } });
    expect(sent()).toEqual([1, 2, 3]);
  });

  test('repeats the elements that a patch changes', async () => {
    broken = [3];
    const ended = await run(main, { list: [1, 2, 3] }, { kid });
    sent();
    const patch = [
      { op: 'replace', path: '/list/2', value: 30 },
      { op: 'replace', path: '/list/1', value: 20 },
    ];
    expect(await again(ended, { patch })).toMatchObject({ status: 'complete', data: { sum: 102 } });
    expect(sent()).toEqual([20, 30]);
  });
});

test('a foreach that collects errors repeats the elements that it lists', async () => {
  const collecting = `functions: [${HTTP}]
states: [{id: go, type: foreach, array: '${NUMBERS}', collect: errors, action: {function: f}}]
`;
  broken = [2];
  const ended = await run(collecting, { list: [1, 2, 3] });
  expect(ended).toMatchObject({ status: 'complete', data: { return: { errors: [{ index: 1 }] } } });
  expect(sent()).toEqual([1, 2, 3]);
  broken = [];
  const repeated = await again(ended);
  expect(repeated.data).toMatchObject({ return: { errors: [], results: [{}, { body: { double: 4 } }, {}] } });
  expect(sent()).toEqual([2]);
});

const PAY = (transform: string) => `functions: [${HTTP}]
states: [{id: go, type: action, action: {function: f}, transform: '${transform}'}]
`;

test('a call that returned is not made again when the transform after it failed and was mended', async () => {
  const ended = await run(PAY('jq({paid: (.retrun.body | error)})'), { n: 4 });
  expect(ended).toMatchObject({ status: 'failed' });
  expect(sent()).toEqual([4]);
  await mend(PAY('jq({paid: .return.body.double})'));
  expect(await again(ended, { revision: 'latest' })).toMatchObject({ status: 'complete', data: { paid: 8 } });
  expect(sent()).toEqual([]);
});

test('a call that returned is made again when the newest revision calls in another way', async () => {
  const ended = await run(PAY('jq({paid: (.x | error)})'), { n: 4 });
  sent();
  const other = PAY('jq({paid: .return.body.double})').replace('jq({n})', 'jq({n: (.n + 1)})');
  await mend(other);
  expect(await again(ended, { revision: 'latest' })).toMatchObject({ status: 'complete' });
  expect(sent()).toEqual([5]);
});

test('branches of a parallel state that finished before a cancellation are not repeated', async () => {
  const nap = `functions: [${HTTP}]
states: [{id: a, type: action, action: {function: f}, transition: b}, {id: b, type: delay, duration: 'PT1S', transform: jq(.return.body)}]
`;
  const main = `functions: [{id: nap, type: subflow, workflow: nap}, {id: hold, type: subflow, workflow: hold}]
states: [{id: go, type: parallel, actions: [{function: nap, input: {n: 1}}, {function: hold}]}]
`;
  await world.store({ nap, hold: 'states: [{id: a, type: delay, duration: PT5M}]\n', main });
  const { id } = await world.execute('main', '{}');
  await world.pass(world.time.clock.now() + 60_000);
  const waiting = await runs.find(world.reliable, id);
  if (waiting === undefined) throw new Error('the run is gone');
  await cancel(world.ports, waiting);
  const ended = await end(waiting);
  expect(ended.code).toBe('service.cancels.api');
  expect(sent()).toEqual([1]);
  expect(await again(ended)).toMatchObject({ status: 'complete', data: { return: [{ double: 2 }, {}] } });
  expect(sent()).toEqual([]);
});

describe('the record', () => {
  test('of a run that succeeds holds nothing for a repetition', async () => {
    const ended = await run(LOOPS['an HTTP function']?.[0] ?? '', { list: [1, 2] });
    const [step] = ended.record.steps;
    expect(step).toMatchObject({ callCount: 2 });
    expect(step).not.toHaveProperty('origin');
    expect(step).not.toHaveProperty('results');
  });

  test('keeps what a repetition needs in its text', async () => {
    broken = [2];
    const ended = await run(LOOPS['an HTTP function']?.[0] ?? '', { list: [1, 2] });
    expect(ended.record.steps[0]).toMatchObject({
      origin: expect.any(Number),
      results: { 0: { body: { double: 2 } } },
    });
    expect(recordFrom(recordText(ended.record, ended.created) ?? '', ended.created)).toEqual(ended.record);
  });

  test('leaves out results that exceed its limit, and the repetition calls again', async () => {
    broken = [2];
    web.reply = (request) => {
      const n = numberIn(request);
      return broken.includes(n) ? json({}, 500) : json({ double: 2 * n, long: 'x'.repeat(700_000) });
    };
    const ended = await run(LOOPS['an HTTP function']?.[0] ?? '', { list: [1, 3, 2] });
    expect(ended.record.steps[0]).not.toHaveProperty('results');
    sent();
    broken = [];
    expect(await again(ended)).toMatchObject({ status: 'complete', data: { sum: 12 } });
    expect(sent()).toEqual([1, 2, 3]);
  });

  test('of a namespace that keeps no data holds no results', async () => {
    broken = [2];
    const ended = await run(`record: flow\n${LOOPS['an HTTP function']?.[0]}`, { list: [1, 2] });
    expect(ended.record.steps[0]).not.toHaveProperty('results');
  });
});

describe('a repetition warns', () => {
  const EFFECTS = `functions:
- ${HTTP}
- {id: image, type: knative-workflow, image: 'acme/print:1'}
- {id: echo, type: knative-workflow, image: 'direktiv/echo:1'}
- {id: task, type: worker, queue: jobs}
- {id: kid, type: subflow, workflow: kid}
- {id: letter, type: mail, server: {host: mail.test}, from: a@test, to: b@test}
states:
- {id: keep, type: setter, variables: [{key: mine, scope: instance, value: 'jq(.)'}], transition: share}
- {id: share, type: setter, variables: [{key: ours, scope: workflow, value: 'jq(.)'}], transition: compute}
- {id: compute, type: action, action: {function: echo}, transition: pay}
- {id: pay, type: action, action: {function: f}, transition: inform}
- {id: inform, type: action, action: {function: letter}, transition: tell}
- {id: tell, type: generateEvent, event: {type: paid, source: shop}, transition: call}
- {id: call, type: action, action: {function: kid}, transition: fail}
- {id: fail, type: error, error: my.code, message: no, transition: never}
- {id: never, type: parallel, actions: [{function: image}, {function: task}]}
`;

  test('of what the states do again outside the run, and of variables that it lacks', async () => {
    const ended = await run(
      EFFECTS.replace(', transition: never}', '}'),
      { n: 1 },
      { kid: 'states: [{id: a, type: noop}]\n' },
    );
    const warned = async (wanted: Partial<Rerun>) =>
      (await planRerun(world.ports, ended, { ...PLAIN, ...wanted })).map(({ message }) => message);
    const later = [
      "the state 'tell' sends an event of the type 'paid' again",
      "the state 'call' runs the workflow of the function 'kid' again",
    ];
    const lacks = "the state 'keep' is skipped: the new run lacks the instance variable 'mine' that it set";
    expect(await warned({ from: 'tell' })).toEqual([...later, lacks]);
    expect(await warned({ from: 'fail' })).toEqual([lacks]);
    expect(await warned({ from: '' })).toEqual([
      "the state 'keep' sets the instance variable 'mine' again",
      "the state 'share' sets the workflow variable 'ours' again",
      "the state 'pay' sends the HTTP request of the function 'f' again",
      "the state 'inform' sends the mails of the function 'letter' again",
      ...later,
    ]);
    expect((await runs.find(world.reliable, ended.id))?.reruns).toBeUndefined();
  });

  test('of calls that are made again only where they did not succeed', async () => {
    broken = [2];
    const ended = await run(LOOPS['an HTTP function']?.[0] ?? '', { list: [1, 2] });
    expect(await planRerun(world.ports, ended, PLAIN)).toEqual([
      {
        state: 'go',
        effect: 'http',
        message: "the state 'go' sends the HTTP request of the function 'f' again, where it did not succeed",
      },
    ]);
  });
});
