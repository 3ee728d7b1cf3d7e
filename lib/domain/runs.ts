import type { Blobs, Item, Table, Value, Write } from '../ports.ts';
import * as keys from './keys.ts';
import type { Parent, Pause, Sent, Told } from './pauses.ts';
import * as texts from './texts.ts';

export type Status = 'pending' | 'complete' | 'failed' | 'crashed';
export type Level = 'debug' | 'info' | 'error';

export interface LogLine {
  /** Microseconds since 1970; strictly increasing within a run, because clients drop what is not newer. */
  readonly t: number;
  readonly level: Level;
  readonly text: string;
  /** The state that wrote it, if any. */
  readonly state?: string;
}

/** The part of a run that lists show; also what the indexes hold. */
export interface Head {
  readonly id: string;
  readonly namespaceId: string;
  readonly workflowId: string;
  readonly revision: string;
  /** The path as invoked. */
  readonly as: string;
  readonly invoker: string;
  readonly status: Status;
  readonly code: string;
  readonly message: string;
  readonly created: number;
  readonly updated: number;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** A run of a workflow: the whole truth of an instance, kept in one item. */
export interface Run extends Head {
  readonly namespace: string;
  readonly path: string;
  /** How often it was committed; a step commits only on the number it read. */
  readonly seq: number;
  /** The id of the state to enter next. */
  readonly at: string;
  /** How many states were entered. */
  readonly step: number;
  readonly flow: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly input: Uint8Array;
  /** What an error state said; the run ends failed with it. */
  readonly raised?: Failure;
  /** The soft timeout was delivered; it comes once. */
  readonly interrupted: boolean;
  readonly metadata: string;
  /** The newest log lines; older ones are in the journal. */
  readonly tail: readonly LogLine[];
  /** How many lines are in the journal. */
  readonly flushed: number;
  /** The instant of the newest line, microseconds. */
  readonly lastLine: number;
  /** The handle of the machine that runs it; empty when the request itself does. */
  readonly machine: string;
  /** How many executions it had; more than one after a repair, or when one alone would have grown too long. */
  readonly executions: number;
  /** About how many events the present execution's history holds. */
  readonly events: number;
  /** The present execution is of a machine that cannot wait. */
  readonly brief: boolean;
  /** When the present execution began, milliseconds since 1970. */
  readonly began: number;
  /** How many pauses it made. */
  readonly pauses: number;
  /** The state it is in the middle of. */
  readonly pause?: Pause;
  /** The events that its waits took, each once, by a hash of their ids; the newest last. */
  readonly heard: readonly string[];
  readonly parent?: Parent;
  /** How many callers are above it. */
  readonly depth: number;
  /** Whose are the thread variables that it did not begin itself: name -> id of a run. */
  readonly threads: Readonly<Record<string, string>>;
  /** The events of its last commit; they go out after it. */
  readonly outbox: readonly Sent[];
  readonly told: Told;
}

type Place = Pick<
  Run,
  'events' | 'brief' | 'began' | 'pauses' | 'pause' | 'heard' | 'parent' | 'depth' | 'threads' | 'outbox' | 'told'
>;

const placeOf = ({ events, brief, began, pauses, pause, heard, parent, depth, threads, outbox, told }: Run): Place => ({
  events,
  brief,
  began,
  pauses,
  ...(pause === undefined ? {} : { pause }),
  heard,
  ...(parent === undefined ? {} : { parent }),
  depth,
  threads,
  outbox,
  told,
});

/** The name of the execution that works on a run. */
export function executionOf({ id, executions }: Pick<Run, 'id' | 'executions'>): string {
  return executions > 1 ? `${id}-${executions}` : id;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** A finished instance, its logs and variables are kept this long. */
export const RETENTION_DAYS = 30;
const SECONDS_OF_A_DAY = 86_400;
/** Log lines stay in the run's own item up to this many bytes: a second item would make each commit a transaction. */
const LONGEST_TAIL = 4096;
/** An error text is cut here: it is part of every list that shows the instance. */
const LONGEST_MESSAGE = 4096;
/** A loop's way is recorded up to here; later on only states not entered before are added. */
export const LONGEST_FLOW = 1000;

const blobOf = (run: Run, part: string): string => keys.blobOf('runs', run.id, part);

function headItem(run: Run): Record<string, Value> {
  return {
    id: run.id,
    n: run.namespaceId,
    nsBucket: keys.instancesOf(run.namespaceId, run.created),
    wf: run.workflowId,
    revision: run.revision,
    as: run.as,
    invoker: run.invoker,
    status: run.status,
    code: run.code,
    message: run.message.slice(0, LONGEST_MESSAGE),
    created: run.created,
    updated: run.updated,
  };
}

async function toItem(blobs: Blobs, run: Run): Promise<Item> {
  const { pk, sk } = keys.run(run.id);
  const isOver = run.status !== 'pending';
  return {
    pk,
    sk,
    ...headItem(run),
    ns: run.namespace,
    path: run.path,
    seq: run.seq,
    at: run.at,
    step: run.step,
    flow: JSON.stringify(run.flow),
    data: await texts.storeText(blobs, blobOf(run, `data-${run.seq}`), JSON.stringify(run.data)),
    input: await texts.storeBytes(blobs, blobOf(run, 'input'), run.input),
    ...(run.raised === undefined ? {} : { raised: JSON.stringify(run.raised) }),
    interrupted: run.interrupted,
    metadata: await texts.storeText(blobs, blobOf(run, `metadata-${run.seq}`), run.metadata),
    tail: JSON.stringify(run.tail),
    flushed: run.flushed,
    lastLine: run.lastLine,
    machine: run.machine,
    executions: run.executions,
    place: await texts.storeText(blobs, blobOf(run, `place-${run.seq}`), JSON.stringify(placeOf(run))),
    ...(isOver ? { ttl: Math.ceil(run.updated / 1000) + RETENTION_DAYS * SECONDS_OF_A_DAY } : {}),
  };
}

/** The head of an item of the table or of an index. */
export function toHead(item: Item): Head {
  return {
    id: String(item['id']),
    namespaceId: String(item['n']),
    workflowId: String(item['wf']),
    revision: String(item['revision']),
    as: String(item['as']),
    invoker: String(item['invoker']),
    status: item['status'] as Status,
    code: String(item['code']),
    message: String(item['message']),
    created: Number(item['created']),
    updated: Number(item['updated']),
  };
}

async function fromItem(blobs: Blobs, item: Item): Promise<Run> {
  const [place, data, input, metadata] = await Promise.all([
    texts.readText(blobs, item['place']),
    texts.readText(blobs, item['data']),
    texts.readBytes(blobs, item['input']),
    texts.readText(blobs, item['metadata']),
  ]);
  const raised = item['raised'];
  return {
    ...toHead(item),
    ...(JSON.parse(place) as Place),
    namespace: String(item['ns']),
    path: String(item['path']),
    seq: Number(item['seq']),
    at: String(item['at']),
    step: Number(item['step']),
    flow: JSON.parse(String(item['flow'])) as string[],
    data: JSON.parse(data) as Record<string, unknown>,
    input,
    ...(typeof raised === 'string' ? { raised: JSON.parse(raised) as Failure } : {}),
    interrupted: item['interrupted'] === true,
    metadata,
    tail: JSON.parse(String(item['tail'])) as LogLine[],
    flushed: Number(item['flushed']),
    lastLine: Number(item['lastLine']),
    machine: String(item['machine']),
    executions: Number(item['executions']),
  };
}

/** The run as last committed, or undefined. */
export async function find({ table, blobs }: Needs, id: string): Promise<Run | undefined> {
  const [item] = await table.get([keys.run(id)]);
  return item === undefined ? undefined : fromItem(blobs, item);
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
async function flush(blobs: Blobs, run: Run): Promise<{ run: Run; writes: Write[] }> {
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

/**
 * Commits a run and what it wrote besides, all or nothing, on the condition that nobody else committed since it was
 * read: `run.seq` is the number after this commit, 1 being a run that is not stored yet. Throws Conflict when it lost.
 */
export async function commit({ table, blobs }: Needs, next: Run, more: readonly Write[] = []): Promise<Run> {
  const { run, writes } = await flush(blobs, next);
  const when = run.seq === 1 ? ({ absent: true } as const) : { equals: { seq: run.seq - 1, status: 'pending' } };
  await table.write([{ do: 'put', table: 'runs', item: await toItem(blobs, run), when }, ...writes, ...more]);
  return run;
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
    const pk = keys.logs(run.id);
    const before = { to: keys.logLines(run.id, from).sk, descending: true, limit: 1, only: ['pk', 'sk'] };
    const [first] = (await table.query({ table: 'journal', pk, ...before })).items;
    const begin = first === undefined ? {} : { from: first.sk };
    let next: string | undefined;
    do {
      const more = next === undefined ? {} : { next };
      const page = await table.query({ table: 'journal', pk, ...begin, limit: PARTS, ...more });
      for (const item of page.items) {
        const lines = JSON.parse(await texts.readText(blobs, item['lines'])) as LogLine[];
        const number = Number(item.sk);
        // A commit that came after the run was read may have added lines.
        yield lines.slice(Math.max(from - number, 0), Math.max(run.flushed - number, 0));
      }
      next = page.next;
    } while (next !== undefined);
  }
  yield run.tail.slice(Math.max(from - run.flushed, 0));
}
