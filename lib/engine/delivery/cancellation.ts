import * as runs from '../../domain/runs/runs.ts';
import type { EnginePorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';

/** Why a run is cancelled: the error code, and the message of the run. */
export interface Cancellation {
  readonly reason: 'cancels.api' | 'cancels.parent' | 'cancels.event';
  readonly message: string;
}

export const BY_API: Cancellation = { reason: 'cancels.api', message: 'cancelled by api request' };
/** The state that waits for the run is over. */
export const BY_PARENT: Cancellation = { reason: 'cancels.parent', message: 'cancelled by parent workflow' };

/** Commits the end of a pending run; one that has ended stays as it is. Returns the run as it ended. */
export async function endRun(ports: EnginePorts, run: runs.Run, { reason, message }: Cancellation): Promise<runs.Run> {
  const { run: ended } = await runs.update(ports, run, async (current) => {
    if (current.status !== 'pending') return undefined;
    const unit = new UnitOfWork(ports, current);
    const code = unit.branded(reason);
    unit.log(`Instance failed with uncatchable error '${code}': ${message}`, 'error');
    const { run: next, writes } = await unit.prepareCommit({ status: 'failed', code, message });
    return { run: { ...next, outbox: { ...next.outbox, stop: true } }, writes };
  });
  return ended;
}
