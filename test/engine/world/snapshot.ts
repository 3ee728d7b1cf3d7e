import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Owner } from '../../../lib/domain/namespaces/variables.ts';
import * as variables from '../../../lib/domain/namespaces/variables.ts';
import { readSteps } from '../../../lib/domain/runs/record-steps.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { labelledRuns } from '../../../lib/domain/storage/keys/label-keys.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { readAll } from '../../../lib/domain/storage/queries.ts';
import type { World } from './engine-world.ts';

/** The state at the end, without ids and times: it must not depend on crashes. */
export interface Snapshot {
  readonly runs: readonly string[];
  readonly variables: readonly string[];
}

/** All runs of the world. */
export async function runsOf(world: World): Promise<runs.Run[]> {
  const { table, clock } = world.reliable;
  const namespace = await namespaces.need({ table }, world.namespace);
  const ids: string[] = [];
  for (const day of keys.daysBetween(namespace.created, clock.now())) {
    const items = await readAll(table, keys.runsBegun(namespace, day));
    ids.push(...items.map((item) => keys.runIdIn(item.pk)));
  }
  const found = await runs.findMany(world.reliable, ids);
  return found.filter((run) => run !== undefined);
}

async function variablesOf(world: World, owner: Owner, name: string): Promise<string[]> {
  const { table } = world.reliable;
  const { items } = await table.query(keys.variables(owner));
  const found = await Promise.all(items.map((item) => variables.find(world.reliable, owner, item.sk)));
  return found.map((one) => `${owner.scope} ${name} ${one?.name} = ${Buffer.from(one?.bytes ?? []).toString()}`);
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const withoutIds = (value: object): unknown => JSON.parse(JSON.stringify(value).replace(UUID, 'id'));

/** The record without ids and times; none of a run that its caller cancelled, because its progress depends on the time. */
async function recordOf(world: World, run: runs.Run): Promise<object[]> {
  if (run.code === 'service.cancels.parent') return [];
  const steps = await readSteps(world.reliable, run);
  return steps.map(({ entered: _, origin: _time, left, calls, events, error, ...step }) => ({
    ...step,
    error: error === undefined ? undefined : withoutIds(error),
    isOpen: left === undefined,
    calls: calls?.map(({ id: _child, queued: _queued, ...call }) => call).toSorted((a, b) => a.i - b.i || a.k - b.k),
    events: events?.length,
  }));
}

const NUMBERED = /^\[\d+\] (Action returned\.) \(\d+\/\d+\)$/;

/** The texts of the log without ids, sorted: calls of a loop may end in any order. None of a run that its caller cancelled. */
async function linesOf(world: World, run: runs.Run): Promise<string[]> {
  if (run.code === 'service.cancels.parent') return [];
  const texts: string[] = [];
  for await (const lines of runs.logParts(world.reliable, run)) texts.push(...lines.map(({ text }) => text));
  return texts.map((text) => text.replace(UUID, 'id').replace(NUMBERED, '$1')).sort();
}

/** The labels of a run by which it is found. */
async function foundBy(world: World, run: runs.Run): Promise<Record<string, string>> {
  const found = await Promise.all(
    Object.entries(run.labels ?? {}).map(async ([name, value]) => {
      const notes = await readAll(world.reliable.table, labelledRuns(runs.homeOf(run), { name, value }, run.created));
      return notes.some(({ id }) => id === run.id) ? [[name, value] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

function describe(run: runs.Run, more: object, all: ReadonlyMap<string, runs.Run>): string {
  const caller = all.get(run.invoker.replace('instance:', ''));
  const invoker = run.invoker.startsWith('instance:') ? `by ${caller?.path}` : run.invoker;
  const input = Buffer.from(run.input).toString();
  const { path, depth, status, code, message, data } = run;
  return JSON.stringify({ path, invoker, depth, input, status, code, message, data, ...more });
}

/** With `hasLogs` the runs have the lines of their logs; a container that is called again writes its own again. */
export async function snapshotOf(world: World, hasLogs = false): Promise<Snapshot> {
  const found = await runsOf(world);
  const all = new Map(found.map((run) => [run.id, run]));
  const owners = new Map<string, { owner: Owner; name: string }>();
  const shown = new Map<string, string>();
  for (const run of found) {
    const name = describe(
      run,
      {
        lines: hasLogs ? await linesOf(world, run) : undefined,
        record: await recordOf(world, run),
        labels: await foundBy(world, run),
      },
      all,
    );
    shown.set(run.id, name);
    owners.set(`instance ${run.id}`, { owner: { scope: 'instance', id: run.id }, name });
    owners.set(`thread ${run.id}`, { owner: { scope: 'thread', id: run.id }, name });
    owners.set(`workflow ${run.workflowId}`, { owner: { scope: 'workflow', id: run.workflowId }, name: run.path });
    owners.set('namespace', { owner: { scope: 'namespace', id: run.namespaceId }, name: '' });
  }
  const values = await Promise.all([...owners.values()].map(({ owner, name }) => variablesOf(world, owner, name)));
  return { runs: [...shown.values()].sort(), variables: values.flat().sort() };
}

/** The names of the executions that have not ended. */
export function unfinishedOf(world: World): string[] {
  return [...world.started]
    .filter(([name, handle]) => world.executions.describe(handle, name)?.status === 'RUNNING')
    .map(([name]) => name);
}
