import type { MachineKind } from '../../compiler/emit/emit.ts';
import { mayBeExpress } from '../../compiler/plan/execution.ts';
import { exitsFrom } from '../../compiler/plan/flow.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { NoMachineError } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { delayedStepMachine, type ExecutionHandle, redefineShared } from './call-machines.ts';
import { ensureMachine, redefineMachine } from './definitions.ts';
import { detachedWait, mayDetach } from './detached-waits.ts';
import { inputOf, isAtFirstWait } from './outcomes.ts';

export type { ExecutionHandle } from './call-machines.ts';

/** The machine for a run that stands at a wait: a run that repeats another one from a state may wait anywhere. */
const machineAt = (plan: Plan, state: string): MachineKind =>
  exitsFrom(plan, [plan.entry]).waits.includes(state) ? 'firstWait' : 'anyState';

/** The first execution of a run: at its wait if it stands at one, else of tier EXPRESS if its workflow may be. */
export async function firstExecution(
  ports: EnginePorts,
  revision: revisions.Revision,
  run: Pick<runs.Run, 'id' | 'wait' | 'machine' | 'express'>,
  { executions = 1, mayBeDetached = true } = {},
): Promise<ExecutionHandle> {
  const plan = revisions.planOf(revision);
  const { id, wait } = run;
  if (wait !== undefined && mayBeDetached && mayDetach(ports, plan, run)) {
    const detached = detachedWait({ id, executions }, wait);
    const machine = await delayedStepMachine(ports);
    return { machine, executions, express: true, entryWait: wait.number, wait: detached };
  }
  const kind = wait?.isWaiting === true ? machineAt(plan, wait.state) : 'start';
  const machine = await ensureMachine(ports, revision, kind);
  const entryWait = kind === 'start' ? 0 : (wait?.number ?? 0);
  return { machine, executions, express: kind === 'start' && mayBeExpress(plan), entryWait };
}

/** The execution in which a queued run begins. Its number is one higher: the execution that held the run back had that name. */
export async function nextOfFirst(
  ports: EnginePorts,
  revision: revisions.Revision,
  run: runs.Run,
): Promise<ExecutionHandle> {
  return firstExecution(ports, revision, run, { executions: run.executions + 1 });
}

/** A run as it is stored after its execution was started, and whether that execution has not ended. */
interface Started {
  readonly run: runs.Run;
  readonly isRunning: boolean;
}

/** A run may be moved to a machine that does not exist either; that one is defined again. */
const MAX_MOVES = 2;

/** Starts the execution of a run; one that has led the run past its first wait has begun. Returns whether it runs. */
function startOnce({ executions }: EnginePorts, run: runs.Run): Promise<boolean> {
  const name = runs.executionOf(run);
  const hasBegun = run.entryWait !== 0 && !isAtFirstWait(run);
  return hasBegun ? executions.isRunning(run.machine, name) : executions.start(run.machine, name, inputOf(run));
}

async function start(ports: EnginePorts, run: runs.Run, moves = MAX_MOVES): Promise<Started> {
  try {
    return { run, isRunning: await startOnce(ports, run) };
  } catch (error) {
    if (!(error instanceof NoMachineError) || moves === 0) throw error;
  }
  const moved = await moveToNewMachine(ports, run);
  // Otherwise another process has moved it meanwhile.
  return moved.isCommitted ? start(ports, moved.run, moves - 1) : { run: moved.run, isRunning: true };
}

/** The machine in place of one that is missing: the same for a run that has not begun, else one that continues it. */
async function machineInstead(ports: EnginePorts, run: runs.Run, isUnbegun: boolean): Promise<string> {
  const shared = isUnbegun ? await redefineShared(ports, run) : undefined;
  if (shared !== undefined) return shared;
  const { machine: missing, entryWait, wait } = run;
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const first = entryWait === 0 ? 'start' : machineAt(revisions.planOf(revision), wait?.state ?? '');
  return redefineMachine(ports, revision, { kind: isUnbegun ? first : 'anyState', missing });
}

/** Defines the machine of a run again, and gives the run to it: at its beginning, or where it stands. */
async function moveToNewMachine(ports: EnginePorts, run: runs.Run): Promise<runs.Committed> {
  const isUnbegun = isAtFirstWait(run) || (run.step === 0 && run.wait === undefined);
  const machine = await machineInstead(ports, run, isUnbegun);
  if (machine === run.machine) return { run, isCommitted: true };
  const executionBegan = ports.clock.now();
  const handle = isUnbegun ? { machine } : { machine, executions: run.executions + 1, express: false, entryWait: 0 };
  return runs.update(ports, run, (current) => {
    const isSame = current.status === 'pending' && runs.executionOf(current) === runs.executionOf(run);
    return isSame ? { run: { ...current, ...handle, historyEvents: 0, executionBegan } } : undefined;
  });
}

/**
 * Starts the execution that drives a run. Safe to repeat: an execution that has begun is not started twice. Returns false
 * when it has ended. A machine that does not exist any more is defined again.
 */
export async function startExecution(ports: EnginePorts, run: runs.Run): Promise<boolean> {
  return (await start(ports, run)).isRunning;
}

/** As `startExecution`. Returns the run as it is stored then: it may have another machine. */
export async function startOrMove(ports: EnginePorts, run: runs.Run): Promise<runs.Run> {
  return (await start(ports, run)).run;
}

/**
 * Gives a run an execution and starts it: commits the change that `assign` returns, then starts the execution that it
 * names. Another commit in between calls `assign` again with the run as that commit left it; undefined from `assign`
 * starts nothing. Returns the run as committed, or as it was read last.
 */
export async function moveToExecution(
  ports: EnginePorts,
  run: runs.Run,
  assign: (current: runs.Run) => Promise<Partial<runs.RunFields> | undefined>,
): Promise<runs.Run> {
  const moved = await runs.update(ports, run, async (current) => {
    const assigned = await assign(current);
    return assigned && { run: { ...current, ...assigned } };
  });
  return moved.isCommitted ? (await start(ports, moved.run)).run : moved.run;
}

/**
 * Stores a new run with its first execution and starts it. A run that is stored under its id already was begun by the
 * same cause, perhaps by a process that ended before it started the execution: it is started and returned.
 */
export async function startNew(
  ports: EnginePorts,
  revision: revisions.Revision,
  run: runs.Run,
): Promise<runs.Committed> {
  const stored = await runs.store(ports, { ...run, ...(await firstExecution(ports, revision, run)) });
  if (stored.isCommitted) return { ...stored, run: (await start(ports, stored.run)).run };
  await ensureStarted(ports, stored.run);
  return stored;
}

/** Starts the execution of a stored run that may not have begun yet: the tables do not show that it has. Safe to repeat. */
export async function ensureStarted(ports: EnginePorts, run: runs.Run): Promise<void> {
  const isUnbegun = run.status === 'pending' && run.machine !== '' && (run.step === 0 || isAtFirstWait(run));
  if (isUnbegun) await start(ports, run);
}
