import * as runs from '../../domain/runs/runs.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { driveQueued } from '../admission/admission.ts';
import { nextAttemptOf } from '../delivery/call-ends.ts';
import { deliver } from '../delivery/deliver.ts';
import { heldExecution, nextOfCall } from '../machines/call-machines.ts';
import { moveToExecution, startExecution } from '../machines/executions.ts';
import type { CleanupPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { isCalling, newestAttempt } from './waiting-calls.ts';

/** How long the process that ended a run may take to report that to its caller, milliseconds. */
export const REPORT_MS = MINUTE_MS;

/**
 * Makes sure that a pending call waits for the limits of its function with an execution, or in a queue, whose free places it gets. No sweep
 * finds a call: its caller does. A call that a task of its caller makes is left to that.
 */
async function driveCall(ports: CleanupPorts, call: runs.Run, isExclusive: boolean): Promise<void> {
  const isLimited = call.kind === 'call' && call.site.limits !== undefined;
  if (!isLimited || (!isExclusive && ports.clock.now() - call.updated < REPORT_MS)) return;
  if (call.machine === '') return runs.isQueued(call) ? driveQueued(ports, call, undefined) : undefined;
  if (await startExecution(ports, call)) return;
  const isHeld = runs.isQueued(call);
  await moveToExecution(ports, call, async (current) => {
    const isSame = current.status === 'pending' && runs.executionOf(current) === runs.executionOf(call);
    return isSame && current.kind === 'call' ? (isHeld ? heldExecution : nextOfCall)(ports, current) : undefined;
  });
}

/** How many calls of a run one visit reads. */
const MAX_CALLS = 1000;

/**
 * Reports the ends of the runs that a run waits for: a request that ended one may have crashed before it did so, and is not
 * repeated where a person sent it. `isExclusive`: no other process is at work. Safe to repeat: the first report counts.
 */
export async function reportEndedCalls(ports: CleanupPorts, run: runs.Run, isExclusive: boolean): Promise<void> {
  if (!isCalling(run)) return;
  const { origin, calls } = run.wait;
  const waiting = calls.waiting.slice(0, MAX_CALLS);
  const children = await runs.findMany(
    ports,
    waiting.map((call) => childId(run, origin, call)),
  );
  for (const [index, { i, k }] of waiting.entries()) {
    const child = children[index];
    if (child === undefined) continue;
    const isRepeated = nextAttemptOf(child, ports.settings.brand) !== undefined;
    const newest = isRepeated ? ((await newestAttempt(ports, run, { i, k: k + 1 })) ?? child) : child;
    if (newest.status === 'pending') await driveCall(ports, newest, isExclusive);
    const isOver = newest.status !== 'pending' && nextAttemptOf(newest, ports.settings.brand) === undefined;
    if (isOver && (isExclusive || ports.clock.now() - newest.updated >= REPORT_MS)) {
      await deliver(ports, newest, { caller: run });
    }
  }
}
