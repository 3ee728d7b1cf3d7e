import * as listenedTypes from '../../../domain/events/listened-types.ts';
import * as listeners from '../../../domain/events/listeners.ts';
import { homeOf, type Run } from '../../../domain/runs/runs.ts';
import type { Listening } from '../../../domain/runs/waits.ts';
import { partitionNow } from '../../../domain/storage/spread.ts';
import type { Write } from '../../../ports/table.ts';
import type { EnginePorts } from '../../ports.ts';

const modeOf = ({ filters, mode }: Listening): listeners.Listener['mode'] => {
  if (filters.length === 1) return 'simple';
  return mode === 'all' ? 'and' : 'or';
};

const itemOf = (write: Write): string => {
  const { pk, sk } = write.do === 'put' ? write.item : write.key;
  return `${pk} ${sk}`;
};

/**
 * The writes of a commit that store the listeners of a wait which begins with it, and delete those of one that ends; and
 * those of the event that cancels the run. If the router or the decision of an approval resumes the run, and not its machine, the
 * listeners stay until the task of the machine has ended: an event that is delivered again finds the run by them.
 */
export async function listenerWrites(ports: Pick<EnginePorts, 'table'>, before: Run, after: Run): Promise<Write[]> {
  return [...(await waitWrites(ports, before, after)), ...(await cancelWrites(ports, before, after))];
}

/** The partition of the listeners that a run stores from now on, for its wait or `cancelOn`; absent: the first one. */
export function partitionFor(run: Pick<Run, 'namespaceId' | 'settings' | 'id'>): Pick<Listening, 'partition'> {
  const partition = partitionNow(homeOf(run), run.id);
  return partition === 0 ? {} : { partition };
}

/** A run as the owner of listeners that were stored with a partition. */
export const ownerOf = (
  { namespaceId, settings, id }: Pick<Run, 'namespaceId' | 'settings' | 'id'>,
  kind: 'wait' | 'cancel',
  { partition }: Pick<Listening, 'partition'>,
): listeners.Owner => ({ namespaceId, spread: settings.spread, kind, id, partition });

/** The listener of the event that cancels the run is stored by its first commit and deleted by its last, or by its cancellation. */
async function cancelWrites(ports: Pick<EnginePorts, 'table'>, before: Run, after: Run): Promise<Write[]> {
  const isPending = after.status === 'pending';
  if (before.cancelOn !== undefined) {
    const { filter } = before.cancelOn;
    return isPending && after.cancelOn !== undefined
      ? []
      : listeners.toDeletions(ownerOf(before, 'cancel', before.cancelOn), [filter]);
  }
  if (after.cancelOn === undefined || !isPending) return [];
  const { filter, since } = after.cancelOn;
  const owner = ownerOf(before, 'cancel', after.cancelOn);
  await listenedTypes.store(ports, owner, [filter]);
  return listeners.toWrites(owner, [filter], { wait: 0, mode: 'simple', path: before.path, created: since });
}

async function waitWrites(ports: Pick<EnginePorts, 'table'>, before: Run, after: Run): Promise<Write[]> {
  const { wait } = after;
  const begun = after.status === 'pending' ? wait?.listening : undefined;
  const isSameWait = before.wait?.number === wait?.number;
  if (isSameWait && begun !== undefined) return [];
  const isLeft = after.outbox.answer !== undefined && after.outbox.answer.number === before.wait?.number;
  const ended = isLeft ? undefined : before.wait?.listening;
  const deletions = ended === undefined ? [] : listeners.toDeletions(ownerOf(before, 'wait', ended), ended.filters);
  if (begun === undefined || wait === undefined) return deletions;
  const details = { wait: wait.number, mode: modeOf(begun), path: before.path, created: wait.entered };
  const owner = ownerOf(before, 'wait', begun);
  await listenedTypes.store(ports, owner, begun.filters);
  const puts = listeners.toWrites(owner, begun.filters, details);
  // A transaction writes an item once: a put replaces the listener that it would delete.
  const replaced = new Set(puts.map(itemOf));
  return [...deletions.filter((write) => !replaced.has(itemOf(write))), ...puts];
}
