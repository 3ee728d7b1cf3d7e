import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { cases, IS_FULL } from '../../effort.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { type Deliver, openDatabase, type World } from '../world/engine-world.ts';
import { type Behaviour, body, failed, ProgrammedContainers } from '../world/programmed-containers.ts';
import { runsOf, type Snapshot, snapshotOf, unfinishedOf } from '../world/snapshot.ts';
import { closeWorlds, openWorld, workflowOf } from './service-space.ts';

const MAX_SWEEPS = 2;

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const out = [{ scope: 'instance' as const, name: 'left', bytes: Buffer.from('"by it"') }];

interface Case {
  readonly main: string;
  readonly act: Behaviour;
  readonly kid?: string;
  readonly status: string;
  /** How often containers are called without a crash; undefined where it depends on which call is first. */
  readonly calls?: number;
}

const retried = 'retries: {max_attempts: 2, delay: PT1S, codes: [busy]}';

/** Each container's answer depends only on its input, so that a repeated call gets the same answer. */
const CASES: Readonly<Record<string, Case>> = {
  'an action that leaves a variable': {
    main: workflowOf('- {id: a, type: action, action: {function: f}}'),
    act: ({ input }) => ({ ...body(input), outputs: out }),
    status: 'complete',
    calls: 1,
  },
  'an action that writes into the log and fails': {
    main: workflowOf("- {id: a, type: action, action: {function: f}, catch: [{error: 'no'}]}"),
    act: async ({ call }) => {
      await call.host.log('I am sorry');
      return failed('no.luck', 'none');
    },
    status: 'complete',
    calls: 1,
  },
  'an action whose retries are exhausted': {
    main: workflowOf(`- {id: a, type: action, action: {function: f, ${retried}}}`),
    act: () => failed('busy', 'later'),
    status: 'failed',
    calls: 3,
  },
  'a foreach with an action after it': {
    main: workflowOf(`- {id: a, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: f}, transition: b}
- {id: b, type: action, action: {function: g}}`),
    act: ({ input }) => body(Number(input['n'] ?? -1) + 1),
    status: 'complete',
    calls: 4,
  },
  'a parallel of mode or': {
    main: workflowOf(
      '- {id: a, type: parallel, mode: or, actions: [{function: f}, {function: g}], transform: "jq({})"}',
    ),
    act: () => body(1),
    status: 'complete',
  },
  'an asynchronous action': {
    main: workflowOf(
      '- {id: a, type: action, async: true, action: {function: f}, transition: b}\n- {id: b, type: noop}',
    ),
    act: () => ({ ...body(1), outputs: out }),
    status: 'complete',
    calls: 1,
  },
  'a subflow that calls a container': {
    main: workflowOf('- {id: a, type: action, action: {function: kid}}'),
    kid: workflowOf('- {id: a, type: action, action: {function: f}}'),
    act: () => body('from below'),
    status: 'complete',
    calls: 1,
  },
};

async function isAnythingOpen(world: World): Promise<boolean> {
  return unfinishedOf(world).length > 0 || (await runsOf(world)).some(({ status }) => status === 'pending');
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

interface Outcome {
  readonly snapshot: Snapshot & { readonly executions: readonly string[] };
  readonly operations: number;
  readonly calls: number;
}

async function outcomeOf({ main, kid, act }: Case, crash?: Crash): Promise<Outcome> {
  const containers = new ProgrammedContainers(act);
  const world = openWorld(database, containers, { crash, countsJournal: true });
  await world.store({ main, ...(kid === undefined ? {} : { kid }) });
  await world.execute('main', '{}').catch(ignoreCrash);
  await world.pass();
  if (world.process.hasCrashed) {
    await world.restart();
    if ((await runsOf(world)).length === 0) await world.execute('main', '{}');
    await world.pass();
  }
  for (let sweeps = 0; sweeps < MAX_SWEEPS && (await isAnythingOpen(world)); sweeps += 1) {
    await world.reconcileLater();
    await world.pass();
  }
  const snapshot = { ...(await snapshotOf(world)), executions: unfinishedOf(world) };
  await closeWorlds();
  return { snapshot, operations: world.process.operations, calls: containers.received.length };
}

/** With full effort, a crash before each operation of so many is tried too. */
const STRIDE = 3;

describe('a crash before or after any durable operation does not change the result of', () => {
  test.each(Object.entries(CASES))('%s', async (_name, one) => {
    const clean = await outcomeOf(one);
    const main = clean.snapshot.runs.map((text) => JSON.parse(text)).find(({ path }) => path === '/main');
    expect(main).toMatchObject({ status: one.status });
    expect(clean.snapshot.executions).toEqual([]);
    if (one.calls !== undefined) expect(clean.calls).toBe(one.calls);
    for (let at = 1; at <= clean.operations; at += cases(2, 1)) {
      // A crash before an operation leaves the same state as one after the previous operation, unless two overlap.
      for (const when of at === 1 || (IS_FULL && at % STRIDE === 0)
        ? (['before', 'after'] as const)
        : (['after'] as const)) {
        const found = await outcomeOf(one, { at, when });
        expect({ at, when, ...found.snapshot }).toEqual({ at, when, ...clean.snapshot });
        const most = (one.calls ?? 2) + (one.calls ?? 2);
        if (one.calls !== undefined) expect(found.calls, `at ${at} ${when}`).toBeGreaterThanOrEqual(one.calls);
        expect(found.calls, `at ${at} ${when}`).toBeLessThanOrEqual(Math.min(most, (one.calls ?? 2) + CONCURRENCY));
      }
    }
  });
});

/** The number of concurrent calls of a case: a crash interrupts each of them. */
const CONCURRENCY = 3;

async function settle<T>(work: () => Promise<T>): Promise<() => T> {
  try {
    const value = await work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

const DELIVERIES: Readonly<Record<string, () => Deliver>> = {
  'twice in a row': () => async (input, step) => {
    await settle(() => step(input));
    return (await settle(() => step(input)))();
  },
  'twice at once': () => async (input, step) => {
    const [, second] = await Promise.all([settle(() => step(input)), settle(() => step(input))]);
    return second();
  },
  'again after the next one': () => {
    let former: Parameters<Deliver>[0] | undefined;
    return async (input, step) => {
      const settled = await settle(() => step(input));
      const again = former;
      former = input;
      if (again !== undefined) await settle(() => step(again));
      return settled();
    };
  },
};

describe.each(Object.entries(DELIVERIES))('a step that is delivered %s', (_how, deliver) => {
  test.each(Object.entries(CASES))(
    'does not change the result of %s, and calls no container twice',
    async (_name, one) => {
      const containers = new ProgrammedContainers(one.act);
      const world = openWorld(database, containers, { deliver: deliver() });
      await world.store({ main: one.main, ...(one.kid === undefined ? {} : { kid: one.kid }) });
      await world.execute('main', '{}');
      await world.pass();
      const found = { ...(await snapshotOf(world)), executions: unfinishedOf(world) };
      expect(found).toEqual((await outcomeOf(one)).snapshot);
      const ids = containers.received.map(({ call }) => call.actionId);
      expect(ids).toEqual([...new Set(ids)]);
    },
  );
});
