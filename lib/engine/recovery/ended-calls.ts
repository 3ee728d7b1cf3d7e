import * as runs from '../../domain/runs/runs.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { driveCall } from '../admission/admission.ts';
import { nextAttemptOf } from '../delivery/call-ends.ts';
import { deliver } from '../delivery/deliver.ts';
import type { DeliveryPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { isCalling, newestAttempt } from './waiting-calls.ts';

/** How long the process that ended a run may take to report that to its caller, milliseconds. */
export const REPORT_MS = MINUTE_MS;

/** How many calls of a run one visit reads. */
const MAX_CALLS = 1000;

/**
 * Reports the ends of the runs that a run waits for: a request that ended one may have crashed before it did so, and is not
 * repeated where a person sent it. `isExclusive`: no other process is at work. Safe to repeat: the first report counts.
 */
export async function reportEndedCalls(ports: DeliveryPorts, run: runs.Run, isExclusive: boolean): Promise<void> {
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
    const isSettled = isExclusive || ports.clock.now() - newest.updated >= REPORT_MS;
    // A call is in no index that the reconciler reads: only its caller leads to it.
    if (newest.status === 'pending' && isSettled) await driveCall(ports, newest);
    const isOver = newest.status !== 'pending' && nextAttemptOf(newest, ports.settings.brand) === undefined;
    if (isOver && isSettled) await deliver(ports, newest, { caller: run });
  }
}
