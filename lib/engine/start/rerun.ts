import { ServiceError } from '../../domain/errors.ts';
import { type StepData, stepsWithData } from '../../domain/instances/timeline.ts';
import * as runs from '../../domain/runs/runs.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { spreadId } from '../../domain/storage/ids.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import { startNew } from '../executions/handles.ts';
import { needStart } from '../limits/starts.ts';
import type { EnginePorts } from '../ports.ts';
import { invocationProblem } from '../run/invocability.ts';
import { newRun } from '../run/new-run.ts';
import { patched } from './patching.ts';

/** How a run is repeated. */
export interface Rerun {
  /** The state at which it begins, with the data recorded at its last entry; empty: at the first one, with the input. */
  readonly from: string;
  /** `pinned`: the revision that ran; `latest`: the newest one. */
  readonly revision: 'pinned' | 'latest';
  /** Changes of the data, or of the input (RFC 6902). */
  readonly patch: readonly unknown[];
}

/** How many repetitions a run lists. */
const MAX_RERUNS = 20;

/** Opens the workflow of a run that ended. Throws `not-found`, `invalid`, `refused`. */
async function openFor(ports: EnginePorts, run: runs.Run, choice: Rerun['revision']): Promise<workflows.Opened> {
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
  return opened;
}

/** What a run begins with. */
type Beginning = Pick<runs.Run, 'at' | 'data' | 'raised'>;

/** The error that the run was to end with when it made a step: that of an error state before it. */
function raisedBefore(steps: readonly StepData[], n: number): runs.Failure | undefined {
  const error = steps.find(({ step }) => step.n < n && step.type === 'error' && step.because === undefined)?.step.error;
  return error === undefined ? undefined : { code: error.code, message: error.message };
}

/**
 * What the run had at its last entry of a state. Throws `invalid` for a state that was not visited, or whose data is not
 * known.
 */
async function recordedBeginning(ports: EnginePorts, run: runs.Run, state: string): Promise<Beginning> {
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
  return { at: state, data: last.before, ...(raised === undefined ? {} : { raised }) };
}

function needState(opened: workflows.Opened, state: string): void {
  if (Object.hasOwn(revisions.planOf(opened.revision).states, state)) return;
  throw new ServiceError(
    'invalid',
    `revision ${opened.revision.id} has no state '${state}'; choose a state of that revision, or revision=pinned`,
  );
}

/** Lists a repetition in the run that it repeats. */
async function link(ports: EnginePorts, id: string, rerunId: string): Promise<void> {
  await retryOnConflict(async () => {
    const run = await runs.find(ports, id);
    if (run === undefined) return;
    await runs.setReruns(ports, run, [...(run.reruns ?? []), rerunId].slice(-MAX_RERUNS));
  });
}

/**
 * Starts a run that repeats another one, which has ended, under a new id or the given one. Returns the new run. Throws `invalid` where the record or the
 * revision does not allow it, `malformed` for a patch that cannot be applied, and what opening a workflow throws.
 */
export async function rerun(
  ports: EnginePorts,
  run: runs.Run,
  wanted: Rerun,
  id = spreadId(ports.clock.uuid()),
): Promise<runs.Run> {
  const { from, revision, patch } = wanted;
  if (run.status === 'pending') {
    throw new ServiceError('invalid', 'the run has not ended; wait for its end or cancel it, then repeat it');
  }
  const opened = await openFor(ports, run, revision);
  await needStart(ports, opened.namespace);
  const fresh = { ...newRun(ports, opened, run.input, `rerun:${run.id}`), id };
  if (from !== '') needState(opened, from);
  const beginning = from === '' ? fresh : await recordedBeginning(ports, run, from);
  const data = patched(beginning.data, patch);
  const started = await startNew(ports, opened.revision, {
    ...fresh,
    ...beginning,
    data,
    rerunOf: run.id,
    ...(run.labels === undefined ? {} : { labels: run.labels }),
  });
  await link(ports, run.id, started.run.id);
  return started.run;
}
