import type { HandlerPhase } from '../../../../lib/compiler/plan/handlers.ts';
import * as events from '../../../../lib/domain/events/events.ts';
import * as variables from '../../../../lib/domain/namespaces/variables.ts';
import { readSteps } from '../../../../lib/domain/runs/record-steps.ts';
import type { RecordedStep } from '../../../../lib/domain/runs/records.ts';
import * as runs from '../../../../lib/domain/runs/runs.ts';
import * as keys from '../../../../lib/domain/storage/keys.ts';
import { readAll } from '../../../../lib/domain/storage/queries.ts';
import { alertIn } from '../../../../lib/events/alerts.ts';
import { toValue } from '../../../../lib/language/byte-values.ts';
import type {
  CaughtError,
  Observation,
  ObservedCall,
  ObservedProblem,
  ObservedRun,
} from '../../../../lib/testing/observation.ts';
import type { ReceivedCall } from './mocked-containers.ts';
import type { TestWorld } from './world.ts';

/** The case to observe in a world. */
export interface Observed {
  /** The run that the case is about; undefined if none was started. */
  readonly root: string | undefined;
  /** Why no run was started; undefined if one was. */
  readonly rejection: Observation['error'];
  /** The ids of the events that the case itself has sent. */
  readonly sent: ReadonlySet<string>;
  readonly functionOf: (key: string) => Pick<ObservedCall, 'type' | 'isIdempotent'>;
  /** The problems that stopped the case. */
  readonly problems: readonly ObservedProblem[];
}

const CAUGHT = /^Error caught by error definition (\d+): /;
const LOG_LINES = 12;

async function linesOf({ storage }: TestWorld, run: runs.Run): Promise<runs.LogLine[]> {
  const lines: runs.LogLine[] = [];
  for await (const part of runs.logParts(storage, run)) lines.push(...part);
  return lines;
}

function caughtIn(lines: readonly runs.LogLine[]): CaughtError[] {
  return lines.flatMap(({ text, state }) => {
    const index = CAUGHT.exec(text)?.[1];
    return index === undefined || state === undefined ? [] : [{ state, index: Number(index) }];
  });
}

const HANDLERS: ReadonlySet<string> = new Set<HandlerPhase>(['onFailure', 'onCancel', 'finally']);

/** The states that led to the end of the run: also those that a handler followed, and the last ones of handlers. */
function endsOf({ flow, status, raised }: runs.Run, steps: readonly RecordedStep[]): string[] {
  // A workflow with `record: none` has no steps.
  if (steps.length === 0) return status === 'complete' || raised !== undefined ? flow.slice(-1) : [];
  const ends = steps.filter(
    ({ to, left, because = '' }) => (left !== undefined && (to ?? '') === '') || HANDLERS.has(because),
  );
  // An `error` state has left by its exit, and its error ends the run.
  return ends.filter(({ error }) => error === undefined || error.code === raised?.code).map(({ state }) => state);
}

async function transitionsOf({ storage }: TestWorld, run: runs.Run): Promise<ObservedRun['transitions']> {
  const made = (run.tally ?? []).flatMap(([from, , , to]) => to.map(([next]) => [from, next] as const));
  const steps = await readSteps(storage, run);
  return [...made, ...endsOf(run, steps).map((state) => [state, undefined] as const)];
}

async function observedRun(world: TestWorld, run: runs.Run): Promise<ObservedRun> {
  return {
    path: run.path.slice(1),
    status: run.status,
    states: run.flow,
    transitions: await transitionsOf(world, run),
    caught: caughtIn(await linesOf(world, run)),
  };
}

/** The calls without repetitions; the caller's step gives the state that called. */
function callsOf(
  received: readonly ReceivedCall[],
  found: ReadonlyMap<string, runs.Run>,
  functionOf: Observed['functionOf'],
): ObservedCall[] {
  const byId = Map.groupBy(received, ({ id }) => id);
  return [...byId.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const state = found.get(first.caller)?.flow[first.step - 1] ?? '';
    const { function: key, input } = first;
    return [{ function: key, input, state, times: 1 + more.length, ...functionOf(key) }];
  });
}

async function variablesOf({ storage }: TestWorld, owner: variables.Owner): Promise<Record<string, unknown>> {
  const items = await readAll(storage.table, { ...keys.variables(owner), only: [] });
  const read = items.map(async ({ sk }) => [sk, await variables.find(storage, owner, sk)] as const);
  return Object.fromEntries((await Promise.all(read)).map(([name, one]) => [name, one && toValue(one.bytes)]));
}

async function allVariables(world: TestWorld, root: runs.Run | undefined): Promise<Observation['variables']> {
  if (root === undefined) return { namespace: {}, workflow: {}, instance: {} };
  return {
    namespace: await variablesOf(world, { scope: 'namespace', id: root.namespaceId }),
    workflow: await variablesOf(world, { scope: 'workflow', id: root.workflowId }),
    instance: await variablesOf(world, { scope: 'instance', id: root.id }),
  };
}

/** The events that the runs have sent; those by which runs would make alerts are not sent to listeners. */
async function eventsOf(
  { storage, recording, ports: { settings } }: TestWorld,
  sent: ReadonlySet<string>,
): Promise<Observation['events']> {
  const own = [...recording.messages.values()].filter(({ id }) => !sent.has(id));
  const found = await Promise.all(own.map(({ record }) => events.read(storage, record)));
  const { brand } = settings;
  return found.flatMap((one) => (one === undefined || alertIn(one.event, brand) !== undefined ? [] : [one.event]));
}

/** The writes of variables by scope and name: the ids of workflows differ from world to world. */
function writesOf({ recording }: TestWorld, pathOf: ReadonlyMap<string, string>): Record<string, number> {
  const named = [...recording.variableWrites].map(([key, count]) => {
    const [scope = '', ...rest] = key.split(' ');
    return [scope === 'workflow' ? `${scope} ${pathOf.get(rest[0] ?? '') ?? ''} ${rest[1]}` : key, count] as const;
  });
  return Object.fromEntries(named);
}

/** Observes a case in its world. */
export async function observe(
  world: TestWorld,
  { root, rejection, sent, functionOf, problems }: Observed,
): Promise<Observation> {
  const ids = [...world.recording.runs.values()].filter(({ isCall }) => !isCall).map(({ id }) => id);
  const all = (await runs.findMany(world.storage, ids)).filter((run) => run !== undefined);
  const found = new Map(all.map((run) => [run.id, run]));
  const run = root === undefined ? undefined : found.get(root);
  const lines = run === undefined ? [] : await linesOf(world, run);
  return {
    status: run?.status ?? (rejection === undefined ? 'pending' : 'failed'),
    error: run === undefined || run.code === '' ? rejection : { code: run.code, message: run.message },
    output: run?.status === 'complete' ? run.data : undefined,
    states: run?.flow ?? [],
    took: run === undefined ? 0 : run.updated - run.created,
    calls: callsOf(world.containers.received, found, functionOf),
    events: await eventsOf(world, sent),
    variables: await allVariables(world, run),
    variableWrites: writesOf(world, new Map(all.map(({ workflowId, path }) => [workflowId, path]))),
    runs: await Promise.all(all.map((one) => observedRun(world, one))),
    problems: [...[...world.containers.problems].map((message) => ({ message, at: undefined })), ...problems],
    log: lines.slice(-LOG_LINES).map(({ text }) => text),
  };
}
