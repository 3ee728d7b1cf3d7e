import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Table, Write } from '../../ports/table.ts';
import { onConflict, retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';
import { blobOf, fromItem, RETENTION_DAYS, SECONDS_OF_A_DAY, storeParts, toItem } from './items.ts';
import { measuresOf } from './measures.ts';
import type { LogLine, Run } from './run.ts';

export { RETENTION_DAYS, toHead } from './items.ts';
export type { Failure, Head, Level, LogLine, Run, Status } from './run.ts';

/** The name of the execution that works on a run. */
export function executionOf({ id, executions }: Pick<Run, 'id' | 'executions'>): string {
  return executions > 1 ? `${id}-${executions}` : id;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** Log lines stay in the run's own item up to this many bytes: a second item would make each commit a transaction. */
const LONGEST_TAIL = 4096;
/** A loop's way is recorded up to here; later on only states not entered before are added. */
export const LONGEST_FLOW = 1000;

/** The run as last committed, or undefined. */
export async function find({ table, blobs }: Needs, id: string): Promise<Run | undefined> {
  const [item] = await table.get([keys.run(id)]);
  return item === undefined ? undefined : fromItem(blobs, item);
}

/** Whether there is such a run and it is not over; nothing else of it is read out. */
export async function isPending({ table }: Pick<Needs, 'table'>, id: string): Promise<boolean> {
  const [item] = await table.get([keys.run(id)]);
  return item?.['status'] === 'pending';
}

const MOST_KEYS = 100;

/** The runs with these ids, in their order. */
export async function findMany({ table, blobs }: Needs, ids: readonly string[]): Promise<(Run | undefined)[]> {
  const found: (Run | undefined)[] = [];
  for (let from = 0; from < ids.length; from += MOST_KEYS) {
    const items = await table.get(ids.slice(from, from + MOST_KEYS).map(keys.run));
    found.push(...(await Promise.all(items.map((item) => (item === undefined ? item : fromItem(blobs, item))))));
  }
  return found;
}

/** Moves the tail into the journal when it has grown; one item for all its lines. */
export async function flush<R extends Pick<Run, 'id' | 'tail' | 'flushed' | 'updated'>>(
  blobs: Blobs,
  run: R,
): Promise<{ readonly run: R; readonly writes: Write[] }> {
  const text = JSON.stringify(run.tail);
  if (text.length <= LONGEST_TAIL) return { run, writes: [] };
  const key = keys.logLines(run.id, run.flushed);
  const lines = await texts.storeText(blobs, blobOf(run, `log-${key.sk}`), text);
  const ttl = Math.ceil(run.updated / 1000) + 2 * RETENTION_DAYS * SECONDS_OF_A_DAY;
  const item = { pk: key.pk, sk: key.sk, lines, ttl };
  return {
    run: { ...run, tail: [], flushed: run.flushed + run.tail.length },
    writes: [{ do: 'put', table: 'journal', item }],
  };
}

/** A run that is stored for the first time later than this after it was begun counts as begun when it is stored. */
export const LATEST_FIRST_MS = 60_000;

/**
 * The run as it enters the indexes by time. They are counted up to a while ago (metrics), so nothing may enter them
 * further back than that: an end is stamped in the moment it is written, and so is a beginning that took long.
 */
function placed(run: Run, now: number): Run {
  const isLate = run.seq === 1 && now - run.created > LATEST_FIRST_MS;
  const begun = isLate ? { created: now, ...(run.updated === run.created ? { updated: now } : {}) } : {};
  const ended = run.status === 'pending' ? {} : { updated: Math.max(now, run.updated) };
  return { ...run, ...begun, ...ended };
}

type Committer = Needs & { readonly clock: Clock } & Partial<Pick<Ports, 'meter'>>;

/**
 * Commits a run and what it wrote besides, all or nothing, on the condition that nobody else committed since it was
 * read: `run.seq` is the number after this commit, 1 being a run that is not stored yet. Throws ConflictError when it
 * lost. Its beginning and its end are counted by the commits that made them.
 */
export async function commit(
  { table, blobs, clock, meter }: Committer,
  next: Run,
  more: readonly Write[] = [],
): Promise<Run> {
  const flushed = await flush(blobs, next);
  const stored = await storeParts(blobs, flushed.run);
  const run = placed(flushed.run, clock.now());
  const when = run.seq === 1 ? ({ absent: true } as const) : { equals: { seq: run.seq - 1, status: 'pending' } };
  await table.write([{ do: 'put', table: 'runs', item: toItem(run, stored), when }, ...flushed.writes, ...more]);
  const happened = measuresOf(run);
  if (happened !== undefined) meter?.note(happened);
  return run;
}

/** A run, and whether it is stored by this call. */
export interface Committed {
  readonly run: Run;
  readonly isCommitted: boolean;
}

/**
 * Stores a new run. Its id follows from the call, event or key that starts it, so a run that is stored under this id
 * already was started by the same cause: it is returned as it is. Throws Conflict if there is none.
 */
export async function store(ports: Committer, run: Run): Promise<Committed> {
  const commitNew = async () => ({ run: await commit(ports, { ...run, seq: 1 }), isCommitted: true });
  return onConflict(commitNew(), async (conflict) => {
    const stored = await find(ports, run.id);
    if (stored === undefined) throw conflict;
    return { run: stored, isCommitted: false };
  });
}

/** The next state of a run, and what is written in the same commit. */
export interface Change {
  readonly run: Run;
  readonly writes?: readonly Write[];
}

/**
 * Commits what `change` makes of a run; if another commit came first, `change` is called again with the run as that
 * commit left it. Undefined from `change` ends the update without a commit. Returns the run as committed, or as it was
 * read last.
 */
export async function update(
  ports: Committer,
  run: Run,
  change: (current: Run) => Change | undefined | Promise<Change | undefined>,
): Promise<Committed> {
  let current = run;
  return retryOnConflict(async (attempt) => {
    const read = attempt === 1 ? run : await find(ports, run.id);
    current = read ?? current;
    const next = read === undefined ? undefined : await change(read);
    if (next === undefined) return { run: current, isCommitted: false };
    const committed = await commit(ports, { ...next.run, seq: current.seq + 1 }, next.writes);
    return { run: committed, isCommitted: true };
  });
}

/** Parts of a log that one call reads. */
const PARTS = 20;

/** The log of a run from its line `from` on, oldest first, part by part: of a long one nobody wants it all at once. */
export async function* logParts(
  { table, blobs }: Needs,
  run: Pick<Run, 'id' | 'tail' | 'flushed'>,
  from = 0,
): AsyncGenerator<readonly LogLine[]> {
  if (from < run.flushed) {
    const logs = keys.logs(run.id);
    const before = { to: keys.logLines(run.id, from).sk, descending: true, limit: 1, only: [] };
    const [first] = (await table.query({ ...logs, ...before })).items;
    for await (const items of pagesOf(table, { ...logs, from: first?.sk, limit: PARTS })) {
      for (const item of items) {
        const lines = JSON.parse(await texts.readText(blobs, item['lines'])) as LogLine[];
        const number = Number(item.sk);
        // A commit that came after the run was read may have added lines.
        yield lines.slice(Math.max(from - number, 0), Math.max(run.flushed - number, 0));
      }
    }
  }
  yield run.tail.slice(Math.max(from - run.flushed, 0));
}
