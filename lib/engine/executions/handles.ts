import { mayBeExpress } from '../../compiler/plan/execution.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { NoMachineError } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { defineAgain, defineResumingMachine, ensureMachine } from './machines.ts';

/** The execution that carries a run: the version of the machine, the number of the execution, and its tier. */
export type ExecutionHandle = Pick<runs.Run, 'machine' | 'executions' | 'express'>;

/** The first execution of a run: of tier EXPRESS if its workflow may be, unless the run stands at a wait already. */
export async function firstExecution(
  ports: EnginePorts,
  revision: revisions.Revision,
  { wait }: Pick<runs.Run, 'wait'>,
): Promise<ExecutionHandle> {
  const isWaiting = wait?.isWaiting === true;
  const isExpress = mayBeExpress(revisions.planOf(revision));
  const mustResume = isExpress && isWaiting;
  const machine = mustResume ? await defineResumingMachine(ports, revision) : await ensureMachine(ports, revision);
  return { machine, executions: 1, express: isExpress && !isWaiting };
}

const startNow = ({ executions }: EnginePorts, run: runs.Run): Promise<boolean> =>
  executions.start(run.machine, runs.executionOf(run), { run: run.id });

/**
 * Starts the execution that carries a run. Safe to repeat: an execution that has begun is not started twice. Returns false
 * when it has ended. A machine that does not exist any more is defined again.
 */
export async function startExecution(ports: EnginePorts, run: runs.Run): Promise<boolean> {
  try {
    return await startNow(ports, run);
  } catch (error) {
    if (error instanceof NoMachineError) return startInNewMachine(ports, run);
    throw error;
  }
}

/** Defines the machine of a run again, and starts the run there: at its beginning, or where it stands. */
async function startInNewMachine(ports: EnginePorts, run: runs.Run): Promise<boolean> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const isUnbegun = run.step === 0 && run.wait === undefined;
  const machine = isUnbegun ? await defineAgain(ports, revision) : await defineResumingMachine(ports, revision);
  if (machine === run.machine) return startNow(ports, run);
  const executionBegan = ports.clock.now();
  const handle = isUnbegun ? { machine } : { machine, executions: run.executions + 1, express: false };
  const moved = await runs.update(ports, run, (current) => {
    const isSame = current.status === 'pending' && runs.executionOf(current) === runs.executionOf(run);
    return isSame ? { run: { ...current, ...handle, historyEvents: 0, executionBegan } } : undefined;
  });
  // Another process moved it meanwhile.
  if (!moved.isCommitted) return true;
  return startNow(ports, moved.run);
}

/**
 * Gives a run an execution and starts it: commits what `assign` returns, then starts the execution that it names.
 * Another commit in between calls `assign` again with the run as that commit left it; undefined from `assign` starts
 * nothing. Returns the run as committed, or as it was read last.
 */
export async function moveToExecution(
  ports: EnginePorts,
  run: runs.Run,
  assign: (current: runs.Run) => Promise<Partial<runs.Run> | undefined>,
): Promise<runs.Run> {
  const moved = await runs.update(ports, run, async (current) => {
    const assigned = await assign(current);
    return assigned && { run: { ...current, ...assigned } };
  });
  if (moved.isCommitted) await startExecution(ports, moved.run);
  return moved.run;
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
  if (stored.isCommitted) await startExecution(ports, stored.run);
  else await ensureStarted(ports, stored.run);
  return stored;
}

/** Starts a stored run that has an execution and has not entered a state yet. Safe to repeat. */
export async function ensureStarted(ports: EnginePorts, run: runs.Run): Promise<void> {
  const isUnbegun = run.status === 'pending' && run.step === 0 && run.machine !== '';
  if (isUnbegun) await startExecution(ports, run);
}
