import { ServiceError } from '../../../domain/errors.ts';
import { type StepData, stepsWithData } from '../../../domain/instances/timeline.ts';
import type { RecordedStep } from '../../../domain/runs/records.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { retryOnConflict } from '../../../domain/storage/conflicts.ts';
import { spreadId } from '../../../domain/storage/ids.ts';
import * as nodes from '../../../domain/tree/nodes.ts';
import * as revisions from '../../../domain/tree/revisions.ts';
import * as workflows from '../../../domain/tree/workflows.ts';
import { needStart } from '../../limits/starts.ts';
import type { CleanupPorts } from '../../ports.ts';
import { invocationProblem } from '../../run/invocability.ts';
import { newRun, type Startable } from '../../run/new-run.ts';
import { fitInput } from '../../run/schemas.ts';
import { beginInMachine } from '../../step/beginning.ts';
import { type VisitedStates, type Warning, warningsOf } from './effects.ts';
import { patched } from './patching.ts';
import { type Entry, reuseOf } from './reuse.ts';

/** How a run is repeated. */
export interface Rerun {
  /** The state at which it begins, with the data recorded at its last entry; empty: at the first one, with the input. */
  readonly from: string;
  /** `pinned`: the revision that ran; `latest`: the newest one. */
  readonly revision: 'pinned' | 'latest';
  /** Changes of the data, or of the input (RFC 6902). */
  readonly patch: readonly unknown[];
  /** `failed`: of the calls of a state that failed only those that did not succeed; `all`: all of them. */
  readonly repeat: 'failed' | 'all';
}

/** A repetition that is prepared, or started. */
export interface Repetition {
  readonly run: runs.Run;
  /** Warnings of the effects outside the run that it repeats or lacks. */
  readonly warnings: readonly Warning[];
}

/** How many repetitions a run lists. */
const MAX_RERUNS = 20;

/** Opens the workflow of a run that ended. Throws `not-found`, `invalid`, `refused`. */
async function openFor(ports: CleanupPorts, run: runs.Run, choice: Rerun['revision']): Promise<Startable> {
  const readAt = ports.clock.now();
  const resolved = await nodes.needWorkflow(ports, run.namespace, run.path);
  const isSame = resolved.node.id === run.workflowId;
  if (choice === 'pinned' && !isSame) {
    throw new ServiceError('invalid', `'${run.path}' is another workflow by now; use revision=latest to run that one`);
  }
  const revision = isSame && choice === 'pinned' ? run.revision : undefined;
  const opened =
    revision === undefined
      ? await workflows.openNode(ports, resolved, { ref: 'latest' })
      : { ...resolved, revision: await revisions.need(ports, run.workflowId, revision) };
  const problem = invocationProblem(opened);
  if (problem !== undefined) throw new ServiceError('refused', problem.message);
  return { ...opened, readAt };
}

/** The beginning of a repetition: the state, data and error of the run, and the states that the earlier run visited. */
interface Beginning {
  readonly run: Pick<runs.Run, 'at' | 'data' | 'raised'>;
  /** The visit that it repeats. */
  readonly step?: RecordedStep;
  readonly visited: VisitedStates;
}

/** The error that the run was to end with when it made a step: that of an error state before it. */
function raisedBefore(steps: readonly StepData[], n: number): runs.Failure | undefined {
  const error = steps.find(({ step }) => step.n < n && step.type === 'error' && step.because === undefined)?.step.error;
  return error === undefined ? undefined : { code: error.code, message: error.message };
}

/**
 * Returns the beginning that the record of a run has for its last entry of a state. Throws `invalid` for a state that
 * was not visited, or whose data is not known.
 */
async function recordedBeginning(ports: CleanupPorts, run: runs.Run, state: string): Promise<Beginning> {
  const steps = await stepsWithData(ports, run);
  const last = steps.findLast(({ step }) => step.state === state);
  if (last === undefined) {
    throw new ServiceError(
      'invalid',
      `the record of the run has no visit of the state '${state}'; choose another state`,
    );
  }
  if (last.before === undefined || run.settings.record === 'flow') {
    const reason = 'it was too large, or the namespace records only the flow';
    const message = `the data at the entry of '${state}' was not recorded: ${reason}; begin at the first state`;
    throw new ServiceError('invalid', message);
  }
  const raised = raisedBefore(steps, last.step.n);
  return {
    run: { at: state, data: last.before, ...(raised === undefined ? {} : { raised }) },
    step: last.step,
    visited: visitedAround(run, steps, last.step.n),
  };
}

/** The states before the visit with a number, and from it on. */
function visitedAround({ record: { elided } }: runs.Run, steps: readonly StepData[], n: number): VisitedStates {
  const statesOf = (isIn: (n: number) => boolean) =>
    steps.filter(({ step }) => isIn(step.n)).map(({ step }) => step.state);
  const inLoop = Object.keys(elided?.by ?? {});
  const isElidedAfter = elided !== undefined && elided.to > n;
  return {
    skipped: [...statesOf((one) => one < n), ...(isElidedAfter ? [] : inLoop)],
    repeated: [...statesOf((one) => one >= n), ...(isElidedAfter ? inLoop : [])],
  };
}

function needState(opened: workflows.Opened, state: string): void {
  if (Object.hasOwn(revisions.planOf(opened.revision).states, state)) return;
  throw new ServiceError(
    'invalid',
    `revision ${opened.revision.id} has no state '${state}'; choose a state of that revision, or revision=pinned`,
  );
}

/** Lists a repetition in the run that it repeats; no effect if that is gone. */
export async function link(ports: CleanupPorts, id: string, rerunId: string): Promise<void> {
  await retryOnConflict(async () => {
    const run = await runs.find(ports, id);
    if (run === undefined) return;
    const others = (run.reruns ?? []).filter((other) => other !== rerunId);
    await runs.setReruns(ports, run, [...others, rerunId].slice(-MAX_RERUNS));
  });
}

/** The calls that a repetition takes over from the visit that it repeats. */
async function reuseFor(
  ports: CleanupPorts,
  run: runs.Run,
  { step, run: { data: before } }: Beginning,
  now: Entry,
): Promise<runs.Run['reuse']> {
  if (step?.origin === undefined) return undefined;
  const plan = revisions.planOf(await revisions.need(ports, run.workflowId, run.revision));
  return reuseOf(run, step, { plan, state: step.state, data: before }, now);
}

/**
 * Prepares a run that repeats another one, which has ended, under a new id or the given one. Stores nothing. Throws
 * `invalid` where the record or the revision does not allow it, `malformed` for a patch that cannot be applied and for an
 * input that does not match the schema of the workflow, and what opening a workflow throws.
 */
async function prepare(ports: CleanupPorts, run: runs.Run, wanted: Rerun, id: string) {
  const { from, revision, patch } = wanted;
  if (run.status === 'pending') {
    throw new ServiceError('invalid', 'the run has not ended; wait for its end or cancel it, then repeat it');
  }
  const opened = await openFor(ports, run, revision);
  const plan = revisions.planOf(opened.revision);
  const fresh = { ...newRun(ports, opened, run.input, `rerun:${run.id}`), id };
  if (from !== '') needState(opened, from);
  const beginning: Beginning =
    from === ''
      ? { run: fresh, visited: { skipped: [], repeated: run.flow } }
      : await recordedBeginning(ports, run, from);
  const begun = { ...fresh, data: patched(beginning.run.data, patch) };
  const { data } = from === '' ? await fitInput(ports, plan, begun) : begun;
  const reuse =
    wanted.repeat === 'all' ? undefined : await reuseFor(ports, run, beginning, { plan, state: from, data });
  const next: runs.Run = {
    ...fresh,
    ...beginning.run,
    data,
    rerunOf: run.id,
    ...(reuse === undefined ? {} : { reuse }),
    ...(run.labels === undefined ? {} : { labels: run.labels }),
  };
  const visited = { ...beginning.visited, ...(reuse === undefined ? {} : { reused: from }) };
  return { opened, run: next, warnings: warningsOf(plan, visited) };
}

/** Returns the warnings of a repetition without starting it. Throws as `rerun` does. */
export async function planRerun(ports: CleanupPorts, run: runs.Run, wanted: Rerun): Promise<readonly Warning[]> {
  return (await prepare(ports, run, wanted, run.id)).warnings;
}

/**
 * Starts a run that repeats another one, which has ended, under a new id or the given one. Returns the new run, and
 * its warnings. Throws `invalid` where the record or the revision does not allow it, `malformed` for a
 * patch that cannot be applied, `too-many` at a limit of starts, and what opening a workflow throws.
 */
export async function rerun(
  ports: CleanupPorts,
  run: runs.Run,
  wanted: Rerun,
  id = spreadId(ports.clock.uuid()),
): Promise<Repetition> {
  const { opened, run: next, warnings } = await prepare(ports, run, wanted, id);
  await needStart(ports, opened.namespace);
  const started = await beginInMachine(ports, opened.revision, next);
  await link(ports, run.id, started.run.id);
  return { run: started.run, warnings };
}
