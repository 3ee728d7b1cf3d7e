import * as runs from '../../domain/runs/runs.ts';
import type { Calls, Wait, WaitingCall } from '../../domain/runs/waits.ts';
import { nextAttemptOf } from '../delivery/call-ends.ts';
import type { CleanupPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';

/** A run that waits for calls. */
export type CallingRun = runs.Run & { readonly wait: Wait & { readonly calls: Calls } };

/** Whether a run waits for calls. */
export const isCalling = (run: runs.Run): run is CallingRun =>
  run.status === 'pending' && run.wait?.isWaiting === true && run.wait.calls !== undefined;

/** The newest attempt of a call, from the given one on; undefined if that was not made. */
export async function newestAttempt(
  ports: CleanupPorts,
  caller: CallingRun,
  { i, k }: WaitingCall,
): Promise<runs.Run | undefined> {
  const next = await runs.find(ports, childId(caller, caller.wait.origin, { i, k }));
  const isRepeated = next !== undefined && nextAttemptOf(next, ports.settings.brand) !== undefined;
  return isRepeated ? ((await newestAttempt(ports, caller, { i, k: k + 1 })) ?? next) : next;
}
