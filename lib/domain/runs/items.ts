import type { Blobs } from '../../ports/blobs.ts';
import type { Item, Value } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';
import { fromText, type RunTally, toText } from './tallies.ts';
import type { Parent, Pause, Sent, ServiceCall, Told } from './waits.ts';

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

/**
 * A run of a workflow: the whole truth of an instance, kept in one item. One that has a `service` is a call of a
 * container instead: its caller's own affair, in no list, log or count.
 */
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
  readonly service?: ServiceCall;
  /** How many callers are above it. */
  readonly depth: number;
  /** Whose are the thread variables that it did not begin itself: name -> id of a run. */
  readonly threads: Readonly<Record<string, string>>;
  /** The events of its last commit; they go out after it. */
  readonly outbox: readonly Sent[];
  readonly told: Told;
  /** What it did in its states so far. */
  readonly tally: RunTally;
}

type Place = Pick<
  Run,
  | 'events'
  | 'brief'
  | 'began'
  | 'pauses'
  | 'pause'
  | 'heard'
  | 'parent'
  | 'service'
  | 'depth'
  | 'threads'
  | 'outbox'
  | 'told'
>;

/** How most runs are: what is so is left out of their items, which keeps a small run below one unit of writing. */
const USUAL: Omit<Place, 'began' | 'pause' | 'parent' | 'service'> = {
  events: 0,
  brief: false,
  pauses: 0,
  heard: [],
  depth: 0,
  threads: {},
  outbox: [],
  told: { lookback: 0, broadcasts: [], logger: '' },
};
const USUAL_TEXTS = new Map(Object.entries(USUAL).map(([name, value]) => [name, JSON.stringify(value)]));

const placeOf = (run: Run): Place => {
  const { events, brief, began, pauses, pause, heard, parent, service, depth, threads, outbox, told } = run;
  return {
    events,
    brief,
    began,
    pauses,
    ...(pause === undefined ? {} : { pause }),
    heard,
    ...(parent === undefined ? {} : { parent }),
    ...(service === undefined ? {} : { service }),
    depth,
    threads,
    outbox,
    told,
  };
};

function placeText(run: Run): string {
  const entries = Object.entries(placeOf(run)).filter(
    ([name, value]) => JSON.stringify(value) !== USUAL_TEXTS.get(name),
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** A finished instance, its logs and variables are kept this long. */
export const RETENTION_DAYS = 30;
export const SECONDS_OF_A_DAY = 86_400;
/** An error text is cut here: it is part of every list that shows the instance. */
const LONGEST_MESSAGE = 4096;

/** Where a part of a run is kept that is too large for its item. */
export const blobOf = (run: Pick<Run, 'id'>, part: string): string => keys.blobOf('runs', run.id, part);

function headItem(run: Run): Record<string, Value> {
  return {
    id: run.id,
    n: run.namespaceId,
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

const expiry = (ms: number): number => Math.ceil(ms / 1000) + RETENTION_DAYS * SECONDS_OF_A_DAY;

/**
 * What puts a run into the index by beginning, and one that is over into the index by end, and lets it go one day. A
 * call of a container is in no index, so nobody would find one that was left in the middle: it may always go.
 */
function indexItem({ status, namespaceId, created, updated, id, service }: Run): Record<string, Value> {
  if (service !== undefined) return { ttl: expiry(Math.max(updated, service.until)) };
  const begun = { nsBucket: keys.dayBucket(namespaceId, created), order: keys.runOrder(created, id) };
  if (status === 'pending') return begun;
  return {
    ...begun,
    endBucket: keys.dayBucket(namespaceId, updated),
    endOrder: keys.runOrder(updated, id),
    ttl: expiry(updated),
  };
}

type Stored = Readonly<Record<'data' | 'input' | 'metadata' | 'place', Value>>;

/** The parts of a run that may be large, each as its item holds it. */
export async function storeParts(blobs: Blobs, run: Run): Promise<Stored> {
  return {
    data: await texts.storeText(blobs, blobOf(run, `data-${run.seq}`), JSON.stringify(run.data)),
    input: await texts.storeBytes(blobs, blobOf(run, 'input'), run.input),
    metadata: await texts.storeText(blobs, blobOf(run, `metadata-${run.seq}`), run.metadata),
    place: await texts.storeText(blobs, blobOf(run, `place-${run.seq}`), placeText(run)),
  };
}

/** The whole item of a run. */
export function toItem(run: Run, stored: Stored): Item {
  const { pk, sk } = keys.run(run.id);
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
    ...stored,
    ...(run.raised === undefined ? {} : { raised: JSON.stringify(run.raised) }),
    interrupted: run.interrupted,
    tail: JSON.stringify(run.tail),
    flushed: run.flushed,
    lastLine: run.lastLine,
    machine: run.machine,
    executions: run.executions,
    ...(run.tally === undefined ? {} : { tally: toText(run.tally) }),
    ...indexItem(run),
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

/** The run of an item; its large parts are read from where they are. */
export async function fromItem(blobs: Blobs, item: Item): Promise<Run> {
  const [place, data, input, metadata] = await Promise.all([
    texts.readText(blobs, item['place']),
    texts.readText(blobs, item['data']),
    texts.readBytes(blobs, item['input']),
    texts.readText(blobs, item['metadata']),
  ]);
  const { raised, tally } = item;
  return {
    ...toHead(item),
    ...USUAL,
    ...(JSON.parse(place) as Pick<Place, 'began'> & Partial<Place>),
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
    tally: typeof tally === 'string' ? fromText(tally) : undefined,
  };
}
