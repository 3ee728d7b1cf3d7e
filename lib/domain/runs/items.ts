import type { Labels } from '../../language/labels.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Item, Value } from '../../ports/table.ts';
import { orderedId } from '../storage/ids.ts';
import * as workerKeys from '../storage/keys/worker-keys.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';
import { EMPTY_RECORD, recordFrom, recordText } from './records.ts';
import type { Failure, Head, LogLine, Run, Status } from './run.ts';
import { fromText, toText } from './tallies.ts';
import type { Parent, RetryPolicy, WorkerTask } from './waits.ts';

/**
 * The parts of a run that are stored together as one JSON text, the attribute `place`: the name in the code and the name
 * in the text. The names in the text are those of the first version and never change; their order is the text's.
 */
const STORED_NAMES = {
  historyEvents: 'events',
  express: 'brief',
  entryWait: 'entry',
  executionBegan: 'began',
  waitCount: 'pauses',
  wait: 'pause',
  woken: 'woken',
  processedEventIds: 'heard',
  parent: 'parent',
  service: 'service',
  root: 'root',
  callPath: 'callPath',
  loopIndex: 'loopIndex',
  depth: 'depth',
  threads: 'threads',
  outbox: 'outbox',
  settings: 'told',
  rerunOf: 'rerunOf',
  reuse: 'reuse',
  exceeded: 'exceeded',
  sentSince: 'sentSince',
  trace: 'trace',
} as const satisfies Partial<Record<keyof Run, string>>;

/** The same for the retry policy within `parent`. */
const STORED_RETRY_NAMES = {
  codes: 'codes',
  maxAttempts: 'most',
  delay: 'delay',
  backoffMultiplier: 'multiplier',
} as const satisfies Record<keyof RetryPolicy, string>;

type Place = Pick<Run, keyof typeof STORED_NAMES>;
type Names = readonly (readonly [from: string, to: string])[];

const STORE: Names = Object.entries(STORED_NAMES);
const READ: Names = STORE.map(([name, stored]) => [stored, name]);
const STORE_RETRIES: Names = Object.entries(STORED_RETRY_NAMES);
const READ_RETRIES: Names = STORE_RETRIES.map(([name, stored]) => [stored, name]);

/** The properties under their other names, in the order of the names. */
function rename(value: object, names: Names): Record<string, unknown> {
  const values = value as Readonly<Record<string, unknown>>;
  const renamed: Record<string, unknown> = {};
  for (const [from, to] of names) if (values[from] !== undefined) renamed[to] = values[from];
  return renamed;
}

/** A caller with its retry policy renamed. */
function renameRetries(parent: unknown, names: Names): { readonly parent?: Parent } {
  if (parent === undefined) return {};
  const { retries, ...others } = parent as Parent;
  const renamed = retries === undefined ? {} : { retries: rename(retries, names) as unknown as RetryPolicy };
  return { parent: { ...others, ...renamed } };
}

/** The default values. They are left out of the item, so that a small run costs one write unit. */
const USUAL: Omit<
  Place,
  | 'executionBegan'
  | 'wait'
  | 'woken'
  | 'parent'
  | 'service'
  | 'root'
  | 'callPath'
  | 'loopIndex'
  | 'rerunOf'
  | 'reuse'
  | 'exceeded'
  | 'sentSince'
  | 'trace'
> = {
  historyEvents: 0,
  express: false,
  entryWait: 0,
  waitCount: 0,
  processedEventIds: [],
  depth: 0,
  threads: {},
  outbox: [],
  settings: { lookback: 0, broadcasts: [], logger: '' },
};
const USUAL_STORED = new Map(
  Object.entries(rename(USUAL, STORE)).map(([name, value]) => [name, { value, text: JSON.stringify(value) }]),
);

function isUsual(name: string, value: unknown): boolean {
  const usual = USUAL_STORED.get(name);
  return usual !== undefined && (value === usual.value || JSON.stringify(value) === usual.text);
}

function placeText(run: Run): string {
  const place: Record<string, unknown> = { ...rename(run, STORE), ...renameRetries(run.parent, STORE_RETRIES) };
  for (const [name, value] of Object.entries(place)) if (isUsual(name, value)) delete place[name];
  return JSON.stringify(place);
}

function placeFrom(text: string): Place {
  const place = rename(JSON.parse(text) as object, READ);
  const stored = place as Pick<Place, 'executionBegan'> & Partial<Place>;
  return { ...USUAL, ...stored, ...renameRetries(place['parent'], READ_RETRIES) };
}

/** How long an instance that has ended, its logs and its variables are kept, days. */
export const RETENTION_DAYS = 30;
export const SECONDS_OF_A_DAY = 86_400;
/** Longer error messages are truncated, characters: every row of a list contains the message. */
const MAX_MESSAGE_LENGTH = 4096;

/** The key of the blob for a part of a run that is too large for the item. */
export const blobOf = (run: Pick<Run, 'id' | 'updated'>, part: string): string =>
  keys.blobOf('runs', orderedId(run.id), keys.writtenAt(part, run.updated));

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
    message: run.message.slice(0, MAX_MESSAGE_LENGTH),
    created: run.created,
    updated: run.updated,
  };
}

const expiry = (ms: number): number => Math.ceil(ms / 1000) + RETENTION_DAYS * SECONDS_OF_A_DAY;

/** The attributes of a task for workers in the index by beginning: while it is open those of its queue. */
function taskIndexItem({ status, namespaceId, created, updated, id, parent }: Run, task: WorkerTask) {
  if (status === 'pending') {
    const { queue, priority, lease, notBefore } = task;
    const order = workerKeys.taskOrder({ queue, priority, created, heldUntil: lease?.until ?? notBefore }, id);
    return { nsBucket: workerKeys.openTasks(namespaceId).pk, order };
  }
  // Only the end of a task that was taken and is awaited must be announced.
  if (task.lease === undefined || (parent?.token ?? '') === '') return {};
  return { nsBucket: workerKeys.endedTasks(namespaceId, updated).pk, order: keys.runOrder(updated, id) };
}

/** The namespace of a run, as it was when the run began: that is how the run is placed in its indexes. */
export const homeOf = ({ namespaceId, settings }: Pick<Run, 'namespaceId' | 'settings'>): keys.Home => ({
  id: namespaceId,
  spread: settings.spread,
});

/**
 * The attributes of a run in the index by beginning and, after its end, in the index by end; and its expiry. A call of
 * a container is in neither, a task for workers in its queue; such a call expires also while it is pending, because no sweep finds one that was interrupted.
 */
function indexItem(run: Run): Record<string, Value> {
  const { status, created, updated, id, service } = run;
  if (service !== undefined) {
    const ttl = expiry(Math.max(updated, service.until));
    return service.worker === undefined ? { ttl } : { ttl, ...taskIndexItem(run, service.worker) };
  }
  const home = homeOf(run);
  const begun = { nsBucket: keys.rowBucket(home, created, id), order: keys.runOrder(created, id) };
  if (status === 'pending') return begun;
  return {
    ...begun,
    endBucket: keys.rowBucket(home, updated, id),
    endOrder: keys.runOrder(updated, id),
    ttl: expiry(updated),
  };
}

type Stored = Readonly<Record<'data' | 'input' | 'metadata' | 'place', Value>>;

/** Stores the parts of a run that may be large as blobs. Returns what the item contains for each. */
export async function storeParts(blobs: Blobs, run: Run): Promise<Stored> {
  // Of two commits with one number only one succeeds, and must find its own content.
  const input = run.blobs?.find((key) => key.startsWith(keys.blobOf('runs', orderedId(run.id), 'input')));
  const part = (name: string) => ({ beginning: blobOf(run, `${name}-${run.seq}`) });
  return {
    data: await texts.storeText(blobs, part('data'), JSON.stringify(run.data)),
    // The input never changes.
    input: input === undefined ? await texts.storeBytes(blobs, blobOf(run, 'input'), run.input) : { blob: input },
    metadata: await texts.storeText(blobs, part('metadata'), run.metadata),
    place: await texts.storeText(blobs, part('place'), placeText(run)),
  };
}

/** Returns the item of a run; `stored` is what `storeParts` returned. */
export function toItem(run: Run, stored: Stored): Item {
  const { pk, sk } = keys.run(run.id);
  const record = recordText(run.record, run.created);
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
    ...(run.flushedBytes === undefined ? {} : { flushedBytes: run.flushedBytes }),
    lastLine: run.lastLine,
    machine: run.machine,
    executions: run.executions,
    ...(run.tally === undefined ? {} : { tally: toText(run.tally) }),
    ...(record === undefined ? {} : { record }),
    ...(run.reruns === undefined ? {} : { reruns: JSON.stringify(run.reruns) }),
    ...(run.labels === undefined ? {} : { labels: JSON.stringify(run.labels) }),
    ...indexItem(run),
  };
}

/** Returns the head of a run from an item of the table or of an index. */
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

/** The labels in the item of a run; undefined if it has none. */
export function labelsIn({ labels }: Item): Labels | undefined {
  return typeof labels === 'string' ? (JSON.parse(labels) as Labels) : undefined;
}

/** Which parts of a run are read: `outline`: data, input and metadata are empty. */
export type Extent = 'whole' | 'outline';

/** Reads a run from its item, with the large parts that are blobs. */
export async function fromItem(blobs: Blobs, item: Item, extent: Extent = 'whole'): Promise<Run> {
  const isWhole = extent === 'whole';
  const [place, data, input, metadata] = await Promise.all([
    texts.readText(blobs, item['place']),
    isWhole ? texts.readText(blobs, item['data']) : '{}',
    isWhole ? texts.readBytes(blobs, item['input']) : new Uint8Array(),
    isWhole ? texts.readText(blobs, item['metadata']) : '',
  ]);
  const { raised, tally, record, reruns } = item;
  const labels = labelsIn(item);
  const head = toHead(item);
  return {
    ...head,
    ...placeFrom(place),
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
    ...(item['flushedBytes'] === undefined ? {} : { flushedBytes: Number(item['flushedBytes']) }),
    lastLine: Number(item['lastLine']),
    machine: String(item['machine']),
    executions: Number(item['executions']),
    tally: typeof tally === 'string' ? fromText(tally) : undefined,
    record: typeof record === 'string' ? recordFrom(record, head.created) : EMPTY_RECORD,
    ...(typeof reruns === 'string' ? { reruns: JSON.parse(reruns) as string[] } : {}),
    ...(labels === undefined ? {} : { labels }),
    blobs: texts.blobsIn(item),
  };
}
