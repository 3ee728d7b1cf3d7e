import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import type { Run } from '../../lib/domain/runs/runs.ts';
import { openDatabase, World } from './world/engine-world.ts';
import { runsOf, unfinishedOf } from './world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
const LONG_KID = 'timeouts: {interrupt: PT10H, kill: PT11H}\nstates: [{id: nap, type: delay, duration: PT9H}]\n';

/** States that wait for nine hours: the fields after the id. */
const WAITS: Readonly<Record<string, string>> = {
  delay: 'type: delay, duration: PT9H',
  action: 'type: action, timeout: PT10H, action: {function: kid}',
  'action with retries':
    "type: action, timeout: PT10H, action: {function: kid, retries: {max_attempts: 2, codes: ['.*']}}",
  foreach: "type: foreach, timeout: PT10H, array: 'jq([{a: 1}, {a: 2}])', action: {function: kid}",
  'parallel and': 'type: parallel, timeout: PT10H, actions: [{function: kid}, {function: kid}]',
  'parallel or': 'type: parallel, mode: or, timeout: PT10H, actions: [{function: kid}, {function: kid}]',
};

interface Ended {
  readonly main: Run;
  readonly children: readonly Run[];
  readonly seconds: number;
}

/** Runs `main` to its end, and checks that no other run is pending. */
async function run(main: string, kid = LONG_KID): Promise<Ended> {
  const world = new World(database);
  try {
    await world.store({ kid, main });
    const { id, created } = await world.execute('main', '{}');
    await world.pass();
    const found = await runsOf(world);
    expect(found.filter(({ status }) => status === 'pending')).toEqual([]);
    expect(unfinishedOf(world)).toEqual([]);
    const ended = found.find((one) => one.id === id);
    if (ended === undefined) throw new Error('there is no such run');
    const children = found.filter((one) => one.id !== id);
    return { main: ended, children, seconds: (ended.updated - created) / 1000 };
  } finally {
    await world.close();
  }
}

const codesOf = (runs: readonly Run[]): string[] => runs.map(({ code }) => code);
const ofParent = (count: number): string[] => Array.from({ length: count }, () => 'service.cancels.parent');
const childrenIn = (state: string): number =>
  (state.match(/\{function/g) ?? []).length + (/foreach/.test(state) ? 1 : 0);

describe.each(Object.entries(WAITS))('in a wait of type %s', (_kind, state) => {
  test('an uncaught soft timeout fails the run and cancels its children', async () => {
    const { main, children, seconds } = await run(`${KID}timeouts: {interrupt: PT30S}
states: [{id: wait, ${state}}]
`);
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
    expect(codesOf(children)).toEqual(ofParent(childrenIn(state)));
    expect(seconds).toBe(30);
  });

  test('a caught soft timeout comes once, and the run goes on', async () => {
    const { main, children, seconds } = await run(`${KID}timeouts: {interrupt: PT30S, kill: PT60S}
states:
- {id: wait, ${state}, catch: [{error: 'service.cancels.timeout.soft', transition: rest}]}
- {id: rest, type: delay, duration: PT5S, transition: fine}
- {id: fine, type: noop}
`);
    expect(main).toMatchObject({ status: 'complete', data: { error: { code: 'service.cancels.timeout.soft' } } });
    expect(codesOf(children)).toEqual(ofParent(childrenIn(state)));
    expect(seconds).toBe(35);
  });

  test('the hard timeout cannot be caught, and cancels the children', async () => {
    const { main, children, seconds } = await run(`${KID}timeouts: {interrupt: PT30S, kill: PT60S}
states:
- {id: rest, type: delay, duration: PT31S, catch: [{error: '.*', transition: wait}]}
- {id: wait, ${state}, catch: [{error: '.*', transition: rest}]}
`);
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.hard' });
    expect(codesOf(children)).toEqual(ofParent(childrenIn(state)));
    expect(seconds).toBe(60);
  });

  test('no timeout comes after an error state', async () => {
    const { main, seconds } = await run(`${KID}timeouts: {interrupt: PT30S, kill: PT60S}
states:
- {id: raise, type: error, error: my.error, message: so it is, transition: wait}
- {id: wait, ${state}}
`);
    expect(main).toMatchObject({ status: 'failed', code: 'my.error' });
    expect(seconds).toBe(9 * 3600);
  });
});

describe.each(Object.entries(WAITS).filter(([kind]) => kind !== 'delay'))(
  'the timeout of a state of type %s',
  (_kind, state) => {
    const short = state.replace('PT10H', 'PT40S');

    test('fails the state with the soft code, and cancels the children', async () => {
      const { main, children, seconds } = await run(`${KID}states: [{id: wait, ${short}}]\n`);
      expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
      expect(codesOf(children)).toEqual(ofParent(childrenIn(state)));
      expect(seconds).toBe(40);
    });

    test('may be caught in one state after the other', async () => {
      const { main, children, seconds } = await run(`${KID}states:
- {id: wait, ${short}, catch: [{error: 'service.cancels.timeout.soft', transition: two}]}
- {id: two, ${short}, catch: [{error: 'service.cancels.timeout.soft', transition: fine}]}
- {id: fine, type: noop}
`);
      expect(main.status).toBe('complete');
      expect(codesOf(children)).toEqual(ofParent(2 * childrenIn(state)));
      expect(seconds).toBe(80);
    });
  },
);

const BAD_KID = 'states: [{id: bad, type: error, error: k.bad, message: m}]\n';
const RETRIES = "retries: {max_attempts: 3, delay: PT20M, codes: ['.*']}";
const REPEATED = `action: {function: kid, ${RETRIES}}`;

/** States that wait for twenty minutes before they repeat a call: the fields after the id. */
const PAUSES: Readonly<Record<string, string>> = {
  action: `type: action, ${REPEATED}`,
  foreach: `type: foreach, array: 'jq([{a: 1}, {a: 2}])', ${REPEATED}`,
  'foreach with a width': `type: foreach, width: 1, array: 'jq([{a: 1}, {a: 2}])', ${REPEATED}`,
  'parallel and': `type: parallel, actions: [{function: kid, ${RETRIES}}, {function: kid, ${RETRIES}}]`,
  'parallel or': `type: parallel, mode: or, actions: [{function: kid, ${RETRIES}}, {function: kid, ${RETRIES}}]`,
};

describe.each(Object.entries(PAUSES))('while a state of type %s waits for a retry', (_kind, state) => {
  const late = (text: string) => `${KID}${text}states:
- {id: first, type: delay, duration: PT5S, transition: wait}
- {id: wait, ${state}}
`;
  const HOUR = 3600;

  test.each([
    ['timeout', `states: [{id: wait, ${state}, timeout: PT40S}]\n`, 'soft', 40],
    ['interrupt', `timeouts: {interrupt: PT30S}\nstates: [{id: wait, ${state}, timeout: PT10H}]\n`, 'soft', 30],
    ['kill', `timeouts: {interrupt: PT30S, kill: PT60S}\nstates: [{id: wait, ${state}}]\n`, 'soft', 30],
  ])('its %s acts', async (_, main, code, after) => {
    const { main: ended, seconds } = await run(`${KID}${main}`, BAD_KID);
    expect(ended).toMatchObject({ status: 'failed', code: `service.cancels.timeout.${code}` });
    expect(seconds).toBe(after);
  });

  test('the timeouts of the run act in a later state, also within an hour', async () => {
    const { main, seconds } = await run(late('timeouts: {interrupt: PT10M, kill: PT15M}\n'), BAD_KID);
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.soft' });
    expect(seconds).toBe(HOUR / 6);
  });

  test('a kill ends a run whose interrupt was caught', async () => {
    const { main, seconds } = await run(
      `${KID}timeouts: {interrupt: PT30S, kill: PT60S}
states:
- {id: rest, type: delay, duration: PT31S, catch: [{error: '.*', transition: wait}]}
- {id: wait, ${state}, catch: [{error: '.*', transition: rest}]}
`,
      BAD_KID,
    );
    expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.hard' });
    expect(seconds).toBe(60);
  });
});

test('a run that does not wait is interrupted between two states', async () => {
  const world = new World(database, { msPerRead: 1 });
  await world.store({
    main: `timeouts: {interrupt: PT5S, kill: PT10S}
states:
- {id: a, type: noop, transition: b, catch: [{error: '.*', transition: c}]}
- {id: b, type: noop, transition: a, catch: [{error: '.*', transition: c}]}
- {id: c, type: noop, transition: c}
`,
  });
  await world.execute('main', '{}');
  await world.pass();
  const [main] = await runsOf(world);
  expect(main).toMatchObject({ status: 'failed', code: 'service.cancels.timeout.hard' });
  expect(main?.data).toMatchObject({ error: { code: 'service.cancels.timeout.soft' } });
  await world.close();
});
