import type { Ports } from '../../ports/ports.ts';
import { DAY_MS } from '../../time/units.ts';
import { RETENTION_DAYS as EVENT_DAYS } from '../events/events.ts';
import { RETENTION_DAYS as RUN_DAYS } from '../runs/runs.ts';
import { getAll, putAt } from '../storage/batches.ts';
import { orderedId, timeOf } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** The keys of a page of a listing that are to be removed, and where the listing continues; undefined: no later key is. */
interface Examined {
  readonly stale: readonly string[];
  readonly after: string | undefined;
}

/** Blobs that expire: the beginning of their keys, and how a page of the keys is examined. */
interface Place {
  readonly prefix: string;
  readonly examine: (needs: Needs, page: readonly string[]) => Promise<Examined>;
}

/** Blobs by the id of their run, which sorts by time. They are stale if the run is older than `days` and does not exist. */
function ofRuns(prefix: string, days: number): Place {
  const idOf = (key: string): string => orderedId(key.slice(prefix.length).split('/', 1)[0] ?? '');
  return {
    prefix,
    async examine({ table, clock }, page) {
      const limit = clock.now() - days * DAY_MS;
      const ids = [...new Set(page.map(idOf))];
      const old = ids.filter((id) => timeOf(id) < limit);
      const items = await getAll(table, old.map(keys.run));
      const gone = new Set(old.filter((_, index) => items[index] === undefined));
      const isYoung = timeOf(ids.at(-1) ?? '') >= limit;
      // A run whose id has an old time can begin at this moment, and its blobs are stored before it.
      const isWritten = (key: string) => clock.now() - keys.writeTimeOf(key) > DAY_MS;
      const stale = page.filter((key) => gone.has(idOf(key)) && isWritten(key));
      return { stale, after: isYoung ? undefined : page.at(-1) };
    },
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Blobs of events, by namespace and day. */
const OF_EVENTS: Place = {
  prefix: keys.blobPrefixes.events,
  async examine({ clock }, page) {
    // An event expires at the latest when the day after its retention begins.
    const limit = keys.dateOf(clock.now() - (EVENT_DAYS + 2) * DAY_MS);
    const stale: string[] = [];
    for (const key of page) {
      const [kind, namespaceId, day = ''] = key.split('/', 3);
      if (!DATE.test(day)) continue;
      // The later days of the namespace need not be listed.
      if (day > limit) return { stale, after: `${kind}/${namespaceId}/~` };
      stale.push(key);
    }
    return { stale, after: page.at(-1) };
  },
};

/** Children of a run may use the variables of its threads after its end. */
const THREAD_DAYS = RUN_DAYS + 400;

const PLACES: readonly Place[] = [
  ofRuns(keys.blobPrefixes.runs, RUN_DAYS),
  ofRuns(keys.blobPrefixes.instances, RUN_DAYS),
  ofRuns(keys.blobPrefixes.threads, THREAD_DAYS),
  OF_EVENTS,
];

/** The number of listings of one call. A listing has up to 1000 keys. */
const MAX_LISTINGS = 100;
/** Between the end of one pass and the beginning of the next. */
const INTERVAL_MS = DAY_MS;

/** The progress of a pass: the index of the place, the last key that was examined, and when the pass before ended. */
interface Progress {
  readonly place: number;
  readonly after: string;
  readonly ended: number;
}

async function progressOf({ table }: Needs): Promise<Progress> {
  const [item] = await table.get([keys.blobSweep]);
  return {
    place: Number(item?.['place'] ?? 0),
    after: String(item?.['after'] ?? ''),
    ended: Number(item?.['ended'] ?? 0),
  };
}

/** Examines one page. Returns the progress after it. */
async function examinePage(needs: Needs, { place, after, ended }: Progress): Promise<Progress> {
  const one = PLACES[place];
  if (one === undefined) return { place: 0, after: '', ended: needs.clock.now() };
  const page = await needs.blobs.list(one.prefix, after);
  const examined = page.length === 0 ? { stale: [], after: undefined } : await one.examine(needs, page);
  if (examined.stale.length > 0) await needs.blobs.delete(examined.stale);
  if (examined.after === undefined) return { place: place + 1, after: '', ended };
  return { place, after: examined.after, ended };
}

/**
 * Removes blobs whose owner has expired, once a day: those of runs that are gone, also of commits that failed, and those
 * of events after their retention. It lists the oldest keys and stops at those that cannot have expired, so its cost
 * follows the number of blobs that expire. Bounded: the next call continues.
 */
export async function removeStaleBlobs(needs: Needs): Promise<void> {
  const before = await progressOf(needs);
  const isDone = before.place === 0 && before.after === '';
  if (isDone && needs.clock.now() - before.ended < INTERVAL_MS) return;
  let progress = before;
  for (let count = 0; count < MAX_LISTINGS; count += 1) {
    progress = await examinePage(needs, progress);
    if (progress.ended !== before.ended) break;
  }
  await needs.table.write([putAt(keys.blobSweep, { ...progress })]);
}
