import * as concurrency from '../../domain/concurrency/places.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTimestamp } from '../../time/timestamps.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The place of a queued run or call, from 1, and the runs that have the places, or whose calls do. */
async function toConcurrency(ports: Needs, run: runs.Run) {
  const group = concurrency.groupOf(run);
  const { holders } = await concurrency.read(ports.table, group, 0);
  const place = await concurrency.queuePositionOf(ports.table, group, run.concurrency?.queuedAt ?? '');
  const ids = holders.map((text) => concurrency.holderOf(text).lease?.caller ?? text);
  const heldBy = run.kind === 'workflow' ? ids : await callersOf(ports, ids);
  return { key: group.key, place, heldBy };
}

/** The runs that make calls; the id of a run as it is. */
async function callersOf(ports: Needs, ids: readonly string[]): Promise<string[]> {
  const found = await runs.findMany(ports, ids);
  return [...new Set(ids.map((id, index) => (found[index]?.kind === 'call' ? found[index].site.caller : id)))];
}

/** What a queued run or call waits for: a time, or a place. `of`: whose rate and places those are. */
async function toQueue<Of extends object>(ports: Needs, run: runs.Run, of: Of) {
  if (run.hold === undefined || run.concurrency?.queuedAt !== undefined) {
    return { concurrency: { ...of, ...(await toConcurrency(ports, run)) } };
  }
  const { by, key, until, starts = 1 } = run.hold;
  return { held: { ...of, by, key, until: toTimestamp(until), starts } };
}

/** What a queued run waits for. */
export const queueOfRun = (ports: Needs, run: runs.Run) => toQueue(ports, run, { workflow: run.path });

/** What a call waits for by the limits of its function; nothing for one that does not. */
export async function queueOfCall(ports: Needs, call: runs.Run | undefined) {
  if (call?.kind !== 'call' || !runs.isQueued(call)) return {};
  return toQueue(ports, call, { scope: call.site.limits?.scope ?? '' });
}
