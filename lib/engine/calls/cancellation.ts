import { isCancelledCode } from '../../domain/runs/run.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import type { CleanupPorts, EnginePorts } from '../ports.ts';
import { publishOutbox } from '../run/outbox.ts';
import { UnitOfWork } from '../run/unit-of-work.ts';
import { childId } from './children.ts';
import { announceEnd } from './run-ends.ts';

/** Why a run is cancelled: the error code, and the message of the run. */
export interface Cancellation {
  readonly reason: 'cancels.api' | 'cancels.parent' | 'cancels.event';
  readonly message: string;
}

const BY_API: Cancellation = { reason: 'cancels.api', message: 'cancelled by api request' };
/** The state that waits for the run is over. */
export const BY_PARENT: Cancellation = { reason: 'cancels.parent', message: 'cancelled by parent workflow' };

/** Ends a run; one that has ended stays as it is. Returns the run as it ended. */
async function endRun(ports: EnginePorts, run: runs.Run, { reason, message }: Cancellation): Promise<runs.Run> {
  const { run: ended } = await runs.update(ports, run, async (current) => {
    if (current.status !== 'pending') return undefined;
    const unit = new UnitOfWork(ports, current);
    const code = unit.branded(reason);
    unit.log(`Instance failed with uncatchable error '${code}': ${message}`, 'error');
    return unit.prepareCommit({ status: 'failed', code, message });
  });
  return ended;
}

/** The call is over for the run, whether its container can be reached or not. */
async function cancelContainer(
  { containers }: Pick<CleanupPorts, 'containers'>,
  { service, id }: runs.Run,
): Promise<void> {
  if (service === undefined || service.native !== undefined || service.worker !== undefined) return;
  await containers.cancel(service.revision, id).catch((error: unknown) => {
    console.error(`cannot cancel the container call ${id}`, error);
  });
}

/** Whether the run was cancelled. */
export const isCancelled = ({ code }: runs.Run): boolean => isCancelledCode(code);

/**
 * Cancels a pending run and every child that it waits for; a run that has ended stays as it is. Repeat it to finish a
 * cancellation that was interrupted. Returns the run as it ended.
 */
export async function cancel(ports: CleanupPorts, run: runs.Run, why: Cancellation = BY_API): Promise<runs.Run> {
  const ended = await endRun(ports, run, why);
  if (!isCancelled(ended)) return ended;
  const { machine, code, message } = ended;
  await cancelContainer(ports, ended);
  if (machine !== '') await ports.executions.stop(machine, runs.executionOf(ended), code, message);
  await cancelCalls(ports, ended, ended.wait);
  await publishOutbox(ports, ended);
  return announceEnd(ports, ended);
}

/** Cancels the children that a run waits for in a wait, and everything that those wait for. */
export async function cancelCalls(
  ports: CleanupPorts,
  caller: Pick<runs.Run, 'id' | 'step'>,
  wait: Pick<Wait, 'origin' | 'calls'> | undefined,
): Promise<void> {
  if (wait?.calls === undefined) return;
  // The machine makes the attempts from the one that it waits for; each exists only if the one before it does.
  let open = wait.calls.waiting.map(({ i, k }) => ({ i, k }));
  while (open.length > 0) {
    const ids = open.map((key) => childId(caller, wait.origin, key));
    const found = await runs.findMany(ports, ids);
    for (const child of found) if (child?.status === 'pending') await cancel(ports, child, BY_PARENT);
    open = open.filter((_, index) => found[index] !== undefined).map(({ i, k }) => ({ i, k: k + 1 }));
  }
}
