import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { openSchedules } from '../../../lib/domain/tree/arming.ts';
import * as revisions from '../../../lib/domain/tree/revisions.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { IS_FULL } from '../../effort.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, snapshotOf, unfinishedOf } from '../world/snapshot.ts';
import { type Workload, workloads } from './workloads.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

/** A request that has no reply by then never gets one, milliseconds. */
const PATIENCE_MS = 5000;

/** Lets time pass until the request has its reply or the process crashes, and nothing is left to do. */
async function finish(world: World, acting: Promise<unknown>): Promise<void> {
  let isReplied = false;
  acting.then(
    () => {
      isReplied = true;
    },
    () => {
      isReplied = true;
    },
  );
  const end = Date.now() + PATIENCE_MS;
  do {
    await world.pass();
    await world.deliver().catch(ignoreCrash);
    if (!isReplied && !world.process.hasCrashed) await delay(1);
  } while (!isReplied && !world.process.hasCrashed && Date.now() < end);
  await world.pass();
  expect(isReplied || world.process.hasCrashed).toBe(true);
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

/** The schedule that the tables promise for the workflow, and the one that is armed. */
async function scheduleOf(world: World): Promise<readonly (string | undefined)[]> {
  const opened = await workflows.open(world.reliable, world.namespace, '/main').catch(() => undefined);
  if (opened === undefined) return [];
  const { start } = revisions.planOf(opened.revision);
  const promised = opened.node.live && start.type === 'scheduled' ? start.cron : undefined;
  return [promised, world.schedules.get(opened.node.id)?.cron];
}

/** What is promised and not kept. */
async function openOf(world: World): Promise<readonly string[]> {
  const found = await runsOf(world);
  const ids = new Set(found.map(({ id }) => `instance:${id}`));
  const pending = found.filter(({ status }) => status === 'pending').map(({ path }) => `the run of ${path} is pending`);
  const orphans = found
    .filter(({ depth, invoker }) => depth > 0 && !ids.has(invoker))
    .map(({ id }) => `${id} has no caller`);
  const [promised, armed] = await scheduleOf(world);
  const schedules = promised === armed ? [] : [`${promised} is promised and ${armed} armed`];
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const event = await events.need(world.reliable, namespace.id, 'e1').catch(() => undefined);
  const unrouted = event === undefined || event.isRouted ? [] : ['the event is not routed'];
  const markers = (await openSchedules(world.reliable)).map(({ path }) => `the schedule of ${path} is marked`);
  return [...pending, ...orphans, ...schedules, ...unrouted, ...markers, ...unfinishedOf(world)];
}

async function stateOf(world: World) {
  return { ...(await snapshotOf(world)), schedule: (await scheduleOf(world)).at(-1) };
}

async function outcomeOf({ sources, before, act: doAct, takesTime = false }: Workload, crash?: Crash) {
  const world = new World(database, { countsJournal: true });
  const act = () => (takesTime ? doAct(world) : world.process.work(() => doAct(world)));
  try {
    await world.store(sources);
    await before?.(world);
    const begun = world.process.operations;
    world.process.crashAt(crash);
    await finish(world, act());
    const operations = world.process.operations - begun;
    if (world.process.hasCrashed) {
      await world.restart();
      await finish(world, Promise.resolve());
      expect({ crash, open: await openOf(world) }).toEqual({ crash, open: [] });
      await finish(world, act());
    }
    expect({ crash, open: await openOf(world) }).toEqual({ crash, open: [] });
    return { snapshot: await stateOf(world), operations };
  } finally {
    await world.close();
  }
}

/** Without full effort, a crash before an operation is tried only for the first: it leaves what the one before left. */
function* crashesOf({ isNowOrNever = false }: Workload, operations: number): Generator<Crash> {
  for (let at = 1; at <= operations; at += 1) {
    if ((IS_FULL || at === 1) && !(isNowOrNever && at === 1)) yield { at, when: 'before' };
    yield { at, when: 'after' };
  }
}

// The log says which lines a crashed process could not write.
vi.spyOn(console, 'error').mockReturnValue();

describe('after a crash and a start, without waiting, nothing is left open and a repeated request gets the same result', () => {
  test.each(workloads.map((workload) => [workload.name, workload] as const))('%s', async (_name, workload) => {
    const { snapshot, operations } = await outcomeOf(workload);
    for (const crash of crashesOf(workload, operations)) {
      const found = await outcomeOf(workload, crash);
      expect({ crash, ...found.snapshot }).toEqual({ crash, ...snapshot });
    }
  });
});
