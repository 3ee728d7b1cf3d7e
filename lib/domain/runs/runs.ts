import { parseJson } from '../../language/json-numbers.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table, Write } from '../../ports/table.ts';
import { withRelief } from '../namespaces/relief.ts';
import { writeCounted } from '../namespaces/stored-variables.ts';
import { batchesOf, putAt } from '../storage/batches.ts';
import { onConflict, retryOnConflict } from '../storage/conflicts.ts';
import { labelledRun } from '../storage/keys/label-keys.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';
import { START_AFTER_READ_MS } from '../storage/spread.ts';
import * as texts from '../storage/texts.ts';
import { countCommit, countingWrites } from './active-runs.ts';
import {
  type BeforeLarge,
  blobOf,
  type Extent,
  fromItem,
  homeOf,
  RETENTION_DAYS,
  SECONDS_OF_A_DAY,
  type StoredStatus,
  storedStatus,
  storeParts,
  toHead,
  toItem,
} from './items.ts';
import { measuresOf } from './measures.ts';
import { flushRecord, readSteps } from './record-steps.ts';
import type { LogLine, Run } from './run.ts';
import { isTraced, spansOf, withoutData } from './spans.ts';
import { tailText } from './tails.ts';

export { type Extent, homeOf, labelsIn, RETENTION_DAYS, toHead } from './items.ts';
export type {
  Call,
  Failure,
  Handling,
  Head,
  Level,
  LogLine,
  Run,
  RunEnd,
  RunFields,
  Status,
  WorkflowRun,
} from './run.ts';
export { isCancelledCode, isContainerCall, isNativeCall, isQueued, isTask } from './run.ts';

/** The name of the execution that drives a run. */
export function executionOf({ id, executions }: Pick<Run, 'id' | 'executions'>): string {
  return executions > 1 ? `${id}-${executions}` : id;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** Log lines stay in the item of the run up to this many characters: each commit writes the item again. */
const MAX_TAIL_LENGTH = 4096;
/** The maximum length of the recorded flow of a loop; after it, only states that were not entered before are added. */
export const MAX_FLOW = 1000;

/**
 * Returns the run as last committed; undefined if there is none. Of an `outline`, data, input and metadata are empty: it is
 * to be shown, not committed.
 */
export async function find(
  { table, blobs, beforeLarge }: Needs & { readonly beforeLarge?: BeforeLarge },
  id: string,
  extent?: Extent,
): Promise<Run | undefined> {
  const readItem = async () => (await table.get([keys.run(id)]))[0];
  return texts.readCurrent(readItem, (item) => fromItem(blobs, item, extent, beforeLarge));
}

/** Returns whether the run exists and has not ended. Its large parts are not read. */
export async function isPending({ table }: Pick<Needs, 'table'>, id: string): Promise<boolean> {
  const [item] = await table.get([keys.run(id)]);
  return item !== undefined && toHead(item).status === 'pending';
}

/** The namespace of a run, by its id; undefined for an unknown run. */
export async function namespaceIdOf({ table }: Pick<Needs, 'table'>, id: string): Promise<string | undefined> {
  const [item] = await table.get([keys.run(id)]);
  return item === undefined ? undefined : toHead(item).namespaceId;
}

const MAX_KEYS = 100;

/** Returns the runs with these ids in their order; undefined for an unknown id. */
export async function findMany({ table, blobs }: Needs, ids: readonly string[]): Promise<(Run | undefined)[]> {
  const found: (Run | undefined)[] = [];
  for (const batch of batchesOf(ids, MAX_KEYS)) {
    const items = await table.get(batch.map(keys.run));
    const read = (id: string, item: Item | undefined) =>
      item &&
      fromItem(blobs, item).catch((error: unknown) => {
        // The run was committed since its item was read.
        if (error instanceof texts.MissingBlobError) return find({ table, blobs }, id);
        throw error;
      });
    found.push(...(await Promise.all(batch.map((id, index) => read(id, items[index])))));
  }
  return found;
}

/** The text of log lines, bytes in UTF-8. */
export const bytesOf = (lines: readonly LogLine[]): number =>
  lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** Moves the log lines of the item into the journal, as one item, when they exceed `MAX_TAIL_LENGTH`. */
export async function flush<R extends Pick<Run, 'id' | 'tail' | 'flushed' | 'flushedBytes' | 'updated'>>(
  blobs: Blobs,
  run: R,
): Promise<{ readonly run: R; readonly writes: Write[] }> {
  if (tailText(run.tail).length <= MAX_TAIL_LENGTH) return { run, writes: [] };
  const text = JSON.stringify(run.tail);
  const key = keys.logLines(run.id, run.flushed);
  const lines = await texts.storeText(blobs, { beginning: blobOf(run, `log-${key.sk}`) }, text);
  const ttl = Math.ceil(run.updated / 1000) + 2 * RETENTION_DAYS * SECONDS_OF_A_DAY;
  const item = { pk: key.pk, sk: key.sk, lines, ttl };
  return {
    run: {
      ...run,
      tail: [],
      flushed: run.flushed + run.tail.length,
      flushedBytes: (run.flushedBytes ?? 0) + bytesOf(run.tail),
    },
    writes: [{ do: 'put', table: 'journal', item }],
  };
}

/** A run whose first commit is later than this after its start is listed with the time of that commit as its start. */
export const MAX_FIRST_COMMIT_MS = 60_000;

/**
 * Returns the run with the times by which the indexes order it. Metrics count the indexes up to a recent time, so no
 * row may be added before that: the end is the time of its commit, and so is the start if the first commit was late.
 */
function placed(run: Run, now: number): Run {
  const isLate = run.seq === 1 && now - run.created > MAX_FIRST_COMMIT_MS;
  const settings = { ...run.settings, readAt: run.settings.readAt ?? run.created - START_AFTER_READ_MS };
  const begun = isLate ? { created: now, settings, ...(run.updated === run.created ? { updated: now } : {}) } : {};
  const ended = run.status === 'pending' ? {} : { updated: Math.max(now, run.updated) };
  return { ...run, ...begun, ...ended };
}

/** Removes the blobs of the item that a commit replaced. The commit is done: other blobs are removed with the run. */
async function removeSuperseded(blobs: Blobs, before: readonly string[] = [], kept: readonly string[]): Promise<void> {
  const superseded = before.filter((key) => !kept.includes(key));
  if (superseded.length > 0) await blobs.delete(superseded).catch(() => undefined);
}

/** The age of the oldest listed run, seconds: it is kept for the retention after its end, and began at most that long before. */
const LISTED_SECONDS = 2 * RETENTION_DAYS * SECONDS_OF_A_DAY;

/**
 * Writes a run into the index of its labels (decision 4), one write a label. This precedes the commit that stores the labels,
 * because a transaction would cost twice as much; readers skip the row of a run that was not committed.
 */
export async function noteLabels({ table }: Pick<Needs, 'table'>, run: Run): Promise<void> {
  const { id, created, labels = {} } = run;
  const ttl = Math.ceil(created / 1000) + LISTED_SECONDS;
  const notes = Object.entries(labels).map(([name, value]) =>
    table.write([putAt(labelledRun(homeOf(run), { name, value }, run), { id, created, ttl })]),
  );
  await Promise.all(notes);
}

/**
 * Writes items that move from a run to the journal before the commit that refers to them: in a transaction each would cost
 * twice as much, and no reader reads them before that commit. An item that exists was written by a commit that failed or has
 * not ended, so only the transaction of this commit may replace it. Returns the writes of such items.
 */
async function writeAhead(table: Table, writes: readonly Write[]): Promise<readonly Write[]> {
  const when = { absent: true } as const;
  const left = writes.map((write) =>
    onConflict(
      table.write([{ ...write, when }]).then(() => []),
      async () => [write],
    ),
  );
  return (await Promise.all(left)).flat();
}

type Committer = Needs & { readonly clock: Clock } & Partial<Pick<Ports, 'meter' | 'traces'>>;

/**
 * Commits a run and further writes in one transaction, on the condition that no other commit came first (optimistic
 * locking): `next.seq` is the number of this commit, 1 for a run that is not stored yet. `before`: the status that is stored.
 * Throws ConflictError if another commit came first. The first and the last commit of a run increment the metrics of starts and ends.
 */
export async function commit(
  { table, blobs, clock, meter, traces }: Committer,
  next: Run,
  more: readonly Write[] = [],
  before: StoredStatus = 'pending',
): Promise<Run> {
  const flushed = await flush(blobs, next);
  const recorded = await flushRecord(blobs, flushed.run);
  const stored = await storeParts(blobs, recorded.run);
  const run = placed(recorded.run, clock.now());
  const when = run.seq === 1 ? ({ absent: true } as const) : { equals: { seq: run.seq - 1, status: before } };
  const item = toItem(run, stored);
  const moved = await writeAhead(table, [...flushed.writes, ...recorded.writes]);
  const further = [...moved, ...countingWrites(run), ...more];
  await withRelief({ table, clock }, { id: run.namespaceId, name: run.namespace }, async () => {
    if (run.seq === 1) await noteLabels({ table }, run);
    await writeCounted(table, run.namespaceId, [{ do: 'put', table: 'runs', item, when }, ...further]);
  });
  countCommit(run);
  const happened = measuresOf(run);
  if (happened !== undefined) meter?.note(happened, undefined, run);
  if (traces !== undefined && isTraced(run)) {
    const outline = withoutData(run);
    traces.add(async () => spansOf(outline, await readSteps({ table, blobs }, outline)));
  }
  const kept = texts.blobsIn(item);
  await removeSuperseded(blobs, next.blobs, kept);
  return { ...run, blobs: kept };
}

/** A run, and whether this call committed it. */
export interface Committed {
  readonly run: Run;
  readonly isCommitted: boolean;
}

/**
 * Stores a new run. Its id is derived from the call, event or key that starts it, so a run that is stored under this id
 * was started by the same cause: it is returned unchanged. Throws ConflictError if there is none after a conflict.
 */
export async function store(ports: Committer, run: Run): Promise<Committed> {
  const commitNew = async () => ({ run: await commit(ports, { ...run, seq: 1 }), isCommitted: true });
  return onConflict(commitNew(), async (conflict) => {
    const stored = await find(ports, run.id);
    if (stored === undefined) throw conflict;
    return { run: stored, isCommitted: false };
  });
}

/** A changed run, and further writes of the same commit. */
export interface Change {
  readonly run: Run;
  readonly writes?: readonly Write[];
}

/**
 * Commits the run that `change` returns. After a conflict `change` is called again with the run as stored by then. If it
 * returns undefined, the update ends without a commit. Returns the run as committed, or as last read.
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
    const committed = await commit(ports, { ...next.run, seq: current.seq + 1 }, next.writes, storedStatus(current));
    return { run: committed, isCommitted: true };
  });
}

/** Lists the repetitions of a run that has ended. Throws ConflictError when it changed meanwhile. */
export async function setReruns({ table }: Pick<Needs, 'table'>, run: Run, reruns: readonly string[]): Promise<void> {
  const set = { reruns: JSON.stringify(reruns), seq: run.seq + 1 };
  await table.write([{ do: 'update', key: keys.run(run.id), set, when: { equals: { seq: run.seq } } }]);
}

/** The number of items of a log that one call reads. */
const ITEMS_PER_PAGE = 20;

/** Yields the log lines of a run from the line number `from` on, the oldest first, in parts, since a log can be long. */
export async function* logParts(
  { table, blobs }: Needs,
  run: Pick<Run, 'id' | 'tail' | 'flushed'>,
  from = 0,
): AsyncGenerator<readonly LogLine[]> {
  if (from < run.flushed) {
    const logs = keys.logs(run.id);
    const before = { to: keys.logLines(run.id, from).sk, descending: true, limit: 1, only: [] };
    const [first] = (await table.query({ ...logs, ...before })).items;
    for await (const items of pagesOf(table, { ...logs, from: first?.sk, limit: ITEMS_PER_PAGE })) {
      for (const item of items) {
        const lines = parseJson(await texts.readText(blobs, item['lines'])) as LogLine[];
        const number = Number(item.sk);
        // A commit that came after the run was read may have added lines.
        yield lines.slice(Math.max(from - number, 0), Math.max(run.flushed - number, 0));
      }
    }
  }
  yield run.tail.slice(Math.max(from - run.flushed, 0));
}
