import { calleeOf, hasNoLikelyWait } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { actionsOf } from '../../compiler/plan/traits.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ownMember } from '../../language/own-members.ts';
import { admit } from '../admission/admission.ts';
import { ensureMachine } from '../machines/definitions.ts';
import { ensureStarted, firstExecution, moveToExecution, startNew, startOrMove } from '../machines/executions.ts';
import { inPlaceBudgetOf } from '../machines/in-place-budget.ts';
import type { CleanupPorts, EnginePorts, RunnerPorts } from '../ports.ts';
import { beginInPlace } from './advance.ts';

/** Lets a machine continue a run that began in place, unless another process has done so. */
export function continueInMachine(ports: EnginePorts, revision: revisions.Revision, run: runs.Run): Promise<runs.Run> {
  return moveToExecution(ports, run, async (current) => {
    const isInPlace = current.status === 'pending' && current.machine === '' && !runs.isQueued(current);
    return isInPlace ? firstExecution(ports, revision, current) : undefined;
  });
}

/** Whether the first state of a plan sends requests. They may take long, so the run begins in a machine. */
function callsOutFirst(plan: Plan): boolean {
  const first = ownMember(plan.states, plan.entry);
  return first !== undefined && actionsOf(first.work).some((action) => calleeOf(plan, action) === 'native');
}

/** Begins a new run in a machine, as `begin`. */
export async function beginInMachine(
  ports: CleanupPorts,
  revision: revisions.Revision,
  run: runs.Run,
): Promise<runs.Committed> {
  const { run: asked, verdict } = await admit(ports, revision, run);
  if (verdict === 'notAdmitted') return { run: asked, isCommitted: true };
  if (verdict === 'admitted' && asked.seq === 0) return startNew(ports, revision, asked);
  return { run: await continueInMachine(ports, revision, asked), isCommitted: verdict === 'admitted' };
}

/**
 * Begins a new run here, within the budget of the settings, and stores it once: when it has ended, or where it must wait
 * or its time is over. A machine continues it from there. A run that is stored under its id already was begun by the same
 * cause: its execution is started if that was not done, and the run returned. Throws BusyError when its machine cannot be
 * defined at present.
 */
export async function begin(ports: RunnerPorts, revision: revisions.Revision, run: runs.Run): Promise<runs.Committed> {
  const budget = inPlaceBudgetOf(ports.settings);
  const plan = revisions.planOf(revision);
  if (budget === 0 || callsOutFirst(plan)) return beginInMachine(ports, revision, run);
  // A run that is likely to wait does nothing before it has a machine that can wait.
  if (!hasNoLikelyWait(plan)) await ensureMachine(ports, revision, 'firstWait');
  const chooseExecution = (current: runs.Run) => firstExecution(ports, revision, current);
  const until = ports.clock.now() + budget;
  const begun = await beginInPlace(ports, run, { revision, until, isBrief: true, chooseExecution });
  if (begun.isCommitted) return { ...begun, run: await handToExecution(ports, revision, begun.run) };
  await ensureStarted(ports, begun.run);
  return begun;
}

/** Lets an execution continue a run that was begun here and waits. */
async function handToExecution(ports: EnginePorts, revision: revisions.Revision, run: runs.Run): Promise<runs.Run> {
  if (run.status !== 'pending' || runs.isQueued(run)) return run;
  return run.machine === '' ? continueInMachine(ports, revision, run) : startOrMove(ports, run);
}
