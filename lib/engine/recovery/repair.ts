import * as runs from '../../domain/runs/runs.ts';
import type { Parent } from '../../domain/runs/waits.ts';
import { cancel } from '../calls/cancellation.ts';
import { continueAsNew } from '../executions/continue-as-new.ts';
import type { CleanupPorts } from '../ports.ts';

/** A run shows no change for this long if it was stored and not started, or if its EXPRESS execution was lost. */
const NOT_STARTED_MS = 30_000;
const LOST_MS = 330_000;

const isStalled = ({ updated, step }: runs.Run, now: number): boolean =>
  now - updated > (step === 0 ? NOT_STARTED_MS : LOST_MS);

/** A child that waits to be called by a caller that has ended. */
async function endOrphan(ports: CleanupPorts, child: runs.Run, parent: Parent): Promise<void> {
  const caller = await runs.find(ports, parent.id);
  if (caller?.status !== 'pending') await cancel(ports, child, 'cancels.parent');
}

/**
 * Starts a new execution for a run that computes and makes no progress; a run that waits is left to its machine, and a
 * child whose caller has ended is cancelled. Harmless while an execution is still at work: a step commits once.
 */
export async function repair(ports: CleanupPorts, run: runs.Run): Promise<void> {
  const { status, wait, express, machine, parent } = run;
  const isLeftToMachine = wait?.isWaiting === true && !express;
  if (status !== 'pending' || isLeftToMachine || !isStalled(run, ports.clock.now())) return;
  if (machine === '' && parent !== undefined) return endOrphan(ports, run, parent);
  await continueAsNew(ports, run);
}
