import { parseJson } from '../../language/json-numbers.ts';
import type { Labels } from '../../language/labels.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Item, Value } from '../../ports/table.ts';
import { orderedId } from '../storage/ids.ts';
import * as workerKeys from '../storage/keys/worker-keys.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';
import type { WorkerCallee } from './calls.ts';
import { placeFrom, placeText } from './places.ts';
import { EMPTY_RECORD, recordFrom, recordText } from './records.ts';
import {
  type Failure,
  type Head,
  isQueued,
  type LogLine,
  type Run,
  type Status,
  type UnawaitedFailure,
} from './run.ts';
import { tailFrom, tailText } from './tails.ts';
import { fromText, toText } from './tallies.ts';

/** How long an instance that has ended, its logs and its variables are kept, days. */
export const RETENTION_DAYS = 30;
export const SECONDS_OF_A_DAY = 86_400;
/** Longer error messages are truncated, characters: every row of a list contains the message. */
const MAX_MESSAGE_LENGTH = 4096;
/** Longer error codes are truncated, characters: workflows and containers choose them. */
const MAX_CODE_LENGTH = 1024;

/** The key of the blob for a part of a run that is too large for the item. */
export const blobOf = (run: Pick<Run, 'id' | 'updated'>, part: string): string =>
  keys.blobOf('runs', orderedId(run.id), keys.writtenAt(part, run.updated));

/** The status in the item of a run: a queued one has a word of its own, by which the table filters lists. */
export type StoredStatus = Status | 'queued';

/** The status of a run as its item has it. */
export const storedStatus = (run: Pick<Run, 'status' | 'queued'>): StoredStatus =>
  isQueued(run) ? 'queued' : run.status;

/** The parts of a run that indexes project. Its id is in the key, which they contain too. */
function headItem(run: Run): Record<string, Value> {
  return {
    wf: run.workflowId,
    revision: run.revision,
    as: run.as,
    invoker: run.invoker,
    status: storedStatus(run),
    ...(run.code === '' ? {} : { code: run.code.slice(0, MAX_CODE_LENGTH) }),
    ...(run.message === '' ? {} : { message: run.message.slice(0, MAX_MESSAGE_LENGTH) }),
    created: run.created,
    updated: run.updated,
  };
}

const expiry = (ms: number): number => Math.ceil(ms / 1000) + RETENTION_DAYS * SECONDS_OF_A_DAY;

/** The namespace of a run as it was when the run began: its partitions are those of the run's rows. */
export const homeOf = ({ namespaceId, settings }: Pick<Run, 'namespaceId' | 'settings'>): keys.Home => ({
  id: namespaceId,
  spread: settings.spread,
});

/** The attributes of a task for workers in the index by beginning; while it is open, those of its queue. */
function taskIndexItem(run: Run, task: WorkerCallee) {
  const { status, created, updated, id, parent } = run;
  const home = homeOf(run);
  if (status === 'pending') {
    const { queue, priority, lease, notBefore } = task;
    const order = workerKeys.taskOrder({ queue, priority, created, heldUntil: lease?.until ?? notBefore }, id);
    return { nsBucket: workerKeys.openTask(home, created, id), order };
  }
  // Only the end of a task that was taken and is awaited must be announced.
  if (task.lease === undefined || (parent?.token ?? '') === '') return {};
  return { nsBucket: workerKeys.endedTask(home, updated, id), order: keys.runOrder(updated, id) };
}

/**
 * The attributes of a run in the index by beginning and, after its end, in the index by end; and its expiry. A call of a
 * container is in neither index, a task for workers is in its queue. Both expire also while they are pending, because only the
 * caller leads to a call that was interrupted.
 */
function indexItem(run: Run): Record<string, Value> {
  const { status, created, updated, id } = run;
  if (run.kind === 'call') {
    const ttl = expiry(Math.max(updated, run.site.until));
    return run.callee.kind === 'worker' ? { ttl, ...taskIndexItem(run, run.callee) } : { ttl };
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

type Stored = Readonly<Record<'data' | 'input' | 'place', Value>> & {
  readonly [Part in 'metadata' | 'flow' | 'raised']?: Value;
};

/** The list of the states of a run usually has the present one only. */
const isUsual = ({ flow, at }: Run): boolean => flow.length === 1 && flow[0] === at;

/** Stores the parts of a run that may be large as blobs. Returns the value of the item for each. */
export async function storeParts(blobs: Blobs, run: Run): Promise<Stored> {
  // Of two commits with one number only one succeeds, and must find its own content.
  const input = run.blobs?.find((key) => key.startsWith(keys.blobOf('runs', orderedId(run.id), 'input')));
  const part = (name: string) => ({ beginning: blobOf(run, `${name}-${run.seq}`) });
  return {
    data: await texts.storeText(blobs, part('data'), JSON.stringify(run.data)),
    // The input never changes.
    input: input === undefined ? await texts.storeBytes(blobs, blobOf(run, 'input'), run.input) : { blob: input },
    ...(run.metadata === '' ? {} : { metadata: await texts.storeText(blobs, part('metadata'), run.metadata) }),
    place: await texts.storeText(blobs, part('place'), placeText(run)),
    ...(isUsual(run) ? {} : { flow: await texts.storeText(blobs, part('flow'), JSON.stringify(run.flow)) }),
    ...(run.raised === undefined
      ? {}
      : { raised: await texts.storeText(blobs, part('raised'), JSON.stringify(run.raised)) }),
  };
}

/** Replaces the id of the workflow in the handle of its machine. */
const WORKFLOW_ID = '*';
const usualExecutions = (machine: string): number => (machine === '' ? 0 : 1);

/** When the newest of these lines was added; 0 if there is none. */
const timeOfLast = (tail: readonly LogLine[]): number => tail.at(-1)?.t ?? 0;

/**
 * Returns the item of a run; `stored` is the result of `storeParts`. Values that are usual or follow from other
 * attributes are left out, so that a small run costs one write unit (docs/decisions/001).
 */
export function toItem(run: Run, stored: Stored): Item {
  const { pk, sk } = keys.run(run.id);
  const record = recordText(run.record, run.created);
  const indexed = indexItem(run);
  const isInBucket = keys.namespaceIdIn(String(indexed['nsBucket'])) === run.namespaceId;
  return {
    pk,
    sk,
    ...(isInBucket ? {} : { n: run.namespaceId }),
    ...headItem(run),
    ns: run.namespace,
    ...(run.path === run.as ? {} : { path: run.path }),
    seq: run.seq,
    at: run.at,
    step: run.step,
    ...stored,
    ...(run.interrupted ? { interrupted: true } : {}),
    tail: tailText(run.tail),
    ...(run.flushed === 0 ? {} : { flushed: run.flushed }),
    ...(run.flushedBytes === undefined ? {} : { flushedBytes: run.flushedBytes }),
    ...(run.lastLine === timeOfLast(run.tail) ? {} : { lastLine: run.lastLine }),
    ...(run.machine === '' ? {} : { machine: run.machine.replace(run.workflowId, WORKFLOW_ID) }),
    ...(run.executions === usualExecutions(run.machine) ? {} : { executions: run.executions }),
    ...(run.tally === undefined ? {} : { tally: toText(run.tally) }),
    ...(record === undefined ? {} : { record }),
    ...(run.reruns === undefined ? {} : { reruns: JSON.stringify(run.reruns) }),
    ...(run.unawaited === undefined ? {} : { unawaited: JSON.stringify(run.unawaited) }),
    ...(run.labels === undefined ? {} : { labels: JSON.stringify(run.labels) }),
    ...indexed,
  };
}

/** Returns the head of a run from an item of the table or of the index by beginning. */
export function toHead(item: Item): Head {
  return {
    id: keys.runIdIn(item.pk),
    namespaceId: String(item['n'] ?? keys.namespaceIdIn(String(item['nsBucket']))),
    workflowId: String(item['wf']),
    revision: String(item['revision']),
    as: String(item['as']),
    invoker: String(item['invoker']),
    ...(item['status'] === 'queued' ? { status: 'pending', queued: true } : { status: item['status'] as Status }),
    code: String(item['code'] ?? ''),
    message: String(item['message'] ?? ''),
    created: Number(item['created']),
    updated: Number(item['updated']),
  };
}

/** The labels in the item of a run; undefined if it has none. */
export function labelsIn({ labels }: Item): Labels | undefined {
  return typeof labels === 'string' ? (parseJson(labels) as Labels) : undefined;
}

/** When the newest line of the log in an item was added, microseconds since 1970. */
export const lastLineOf = (item: Item, tail: readonly LogLine[]): number =>
  Number(item['lastLine'] ?? timeOfLast(tail));

/** Which parts of a run are read: `outline`: data, input and metadata are empty. */
export type Extent = 'whole' | 'outline';

/** Awaited before large data of a run of the namespace with this name is read and parsed, which may take as long as a turn. */
export type BeforeLarge = (namespace: string) => Promise<void>;

/** Reads the parts that `storeParts` stored. */
async function readParts(blobs: Blobs, item: Item, isWhole: boolean) {
  const textOf = async (stored: Value | undefined) =>
    stored === undefined ? undefined : texts.readText(blobs, stored);
  const [place, flow, raised, data, input, metadata] = await Promise.all([
    texts.readText(blobs, item['place']),
    textOf(item['flow']),
    textOf(item['raised']),
    isWhole ? texts.readText(blobs, item['data']) : '{}',
    isWhole ? texts.readBytes(blobs, item['input']) : new Uint8Array(),
    isWhole ? textOf(item['metadata']) : undefined,
  ]);
  return { place, flow, raised, data, input, metadata: metadata ?? '' };
}

/** Reads a run from its item, with the large parts that are blobs. */
export async function fromItem(
  blobs: Blobs,
  item: Item,
  extent: Extent = 'whole',
  beforeLarge?: BeforeLarge,
): Promise<Run> {
  const isWhole = extent === 'whole';
  if (isWhole && typeof item['data'] !== 'string') await beforeLarge?.(String(item['ns']));
  const { place, flow, raised, data, input, metadata } = await readParts(blobs, item, isWhole);
  const { tally, record, reruns, unawaited } = item;
  const labels = labelsIn(item);
  const head = toHead(item);
  const at = String(item['at']);
  const tail = tailFrom(item['tail']);
  const machine = String(item['machine'] ?? '').replace(WORKFLOW_ID, head.workflowId);
  const run = {
    ...head,
    ...placeFrom(place, head),
    namespace: String(item['ns']),
    path: String(item['path'] ?? head.as),
    seq: Number(item['seq']),
    at,
    step: Number(item['step']),
    flow: flow === undefined ? [at] : (parseJson(flow) as string[]),
    data: parseJson(data) as Record<string, unknown>,
    input,
    ...(raised === undefined ? {} : { raised: parseJson(raised) as Failure }),
    interrupted: item['interrupted'] === true,
    metadata,
    tail,
    flushed: Number(item['flushed'] ?? 0),
    ...(item['flushedBytes'] === undefined ? {} : { flushedBytes: Number(item['flushedBytes']) }),
    lastLine: lastLineOf(item, tail),
    machine,
    executions: Number(item['executions'] ?? usualExecutions(machine)),
    tally: typeof tally === 'string' ? fromText(tally) : undefined,
    record: typeof record === 'string' ? recordFrom(record, head.created) : EMPTY_RECORD,
    ...(typeof reruns === 'string' ? { reruns: parseJson(reruns) as string[] } : {}),
    ...(labels === undefined ? {} : { labels }),
    ...(typeof unawaited === 'string' ? { unawaited: parseJson(unawaited) as UnawaitedFailure[] } : {}),
    blobs: texts.blobsIn(item),
  };
  return run as Run;
}
