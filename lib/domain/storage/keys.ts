import type { Key } from '../../ports/table.ts';
import { orderedId } from './ids.ts';
import {
  at,
  catalog,
  dateOf,
  journal,
  type Partition,
  type PartitionRange,
  part,
  runs,
  TIME_DIGITS,
  timeText,
} from './key-parts.ts';
import { dayBuckets, type Home, type Partitions } from './spread.ts';

export {
  event,
  eventBlobs,
  eventId,
  eventIdPart,
  eventOrder,
  eventReceived,
  eventReplay,
  eventSuffix,
  eventsOfType,
  eventsReceived,
  hasSource,
  idInTime,
  timeIn,
  typeInEvents,
} from './event-keys.ts';
export {
  dateOf,
  daysBetween,
  namespaceIdIn,
  type Partition,
  type PartitionRange,
  runOrder,
  timeText,
} from './key-parts.ts';
export { type Home, type Partitions, rowBucket } from './spread.ts';

// ---- The table `catalog`: users' definitions. A namespace is keyed by its id, so a new one of its name is empty ----

/** The version of the schema of all tables. */
export const SCHEMA_VERSION: Key = at(catalog('schema'));
/** The installation that used the tables last. */
export const INSTALLATION: Key = at(catalog('installation'));

export const NAMESPACES = catalog('namespaces');
/** The key of a namespace. */
export const namespace = (name: string): Key => at(NAMESPACES, name);

export const API_KEYS = catalog('api-keys');
/** The key of an API key, by the hash of its secret. */
export const apiKey = (hash: string): Key => at(API_KEYS, hash);

export const PURGES = catalog('purges');
/** The key of the marker of a purge. */
export const purge = (id: string): Key => at(PURGES, id);

export const OPEN_SCHEDULES = catalog('schedules-open');
/** The key of the marker of a workflow whose schedule is to follow a change. */
export const openSchedule = (workflowId: string): Key => at(OPEN_SCHEDULES, workflowId);

export const POSTPONED_DEFINITIONS = catalog('definitions-open');
/** Those of a namespace. */
export const postponedDefinitions = (namespaceId: string): PartitionRange => ({
  ...POSTPONED_DEFINITIONS,
  prefix: `${namespaceId}#`,
});
/** The key of the marker of a revision whose machine was to be defined when the quota of definitions was exhausted. */
export const postponedDefinition = (namespaceId: string, workflowId: string, revisionId: string): Key =>
  at(POSTPONED_DEFINITIONS, `${namespaceId}#${workflowId}#${revisionId}`);

const DIRECTORY = 'directory#';

/** The nodes of a directory. They are keyed by its id, so that one write moves or deletes a directory with its content. */
export const directory = (directoryId: string): Partition => catalog(`${DIRECTORY}${directoryId}`);
/** The key of a directory or workflow. */
export const node = (directoryId: string, name: string): Key => at(directory(directoryId), name);
/** The id of the directory in a partition key of `directory`. */
export const directoryIdIn = (pk: string): string => pk.slice(DIRECTORY.length);

/** The revisions of a workflow, the oldest first. */
export const revisions = (workflowId: string): Partition => catalog(`workflow#${workflowId}`);
/** The key of a revision of a workflow. */
export const revision = (workflowId: string, revisionId: string): Key =>
  at(revisions(workflowId), orderedId(revisionId));

/** The sources of the deleted workflows of a namespace, by revision. */
export const keptSources = (namespaceId: string): Partition => journal(`sources#${namespaceId}`);
/** The key of the source of a revision of a deleted workflow. */
export const keptSource = (namespaceId: string, revisionId: string): Key =>
  at(keptSources(namespaceId), orderedId(revisionId));

/** The deleted workflows of a namespace, by the time of their deletion. */
export const deletions = (namespaceId: string): Partition => journal(`deletions#${namespaceId}`);
/** The key of the deletion of a workflow. */
export const deletion = (namespaceId: string, ms: number, workflowId: string): Key =>
  at(deletions(namespaceId), `${timeText(ms)}#${workflowId}`);
/** The time in a sort key of `deletions`. */
export const timeOfDeletion = (sk: string): number => Number(sk.slice(0, TIME_DIGITS));

/** The refs of a workflow. */
export const refs = (workflowId: string): Partition => catalog(`refs#${workflowId}`);
/** The key of a ref of a workflow. */
export const ref = (workflowId: string, name: string): Key => at(refs(workflowId), name);

export type VariableOwner = { readonly scope: 'namespace' | 'workflow' | 'instance' | 'thread'; readonly id: string };

/** The variables of an owner. Those of runs are in the table `runs`. */
export function variables({ scope, id }: VariableOwner): Partition {
  const isOfRun = scope === 'instance' || scope === 'thread';
  return (isOfRun ? runs : catalog)(`variables#${scope}#${id}`);
}
/** The key of a variable. */
export const variable = (owner: VariableOwner, name: string): Key => at(variables(owner), name);
/** The owner of the variable at a key; undefined for the key of anything else. */
export function ownerIn({ pk }: Pick<Key, 'pk'>): VariableOwner | undefined {
  const [kind, scope, id = ''] = pk.split('#');
  return kind === 'variables' ? { scope: scope as VariableOwner['scope'], id } : undefined;
}

/** The data key that encrypts the secrets and credentials of an owner: the id of a namespace, or the installation. */
export const dataKey = (owner: string): Key => at(catalog(`data-key#${owner}`));

/** The secrets of a namespace, and their folders. */
export const secrets = (namespaceId: string): Partition => catalog(`secrets#${namespaceId}`);
/** The key of a secret, or of a folder of secrets. */
export const secret = (namespaceId: string, name: string): Key => at(secrets(namespaceId), name);

/** The registries of a scope: the id of a namespace, `global` or `private`. */
export const registries = (scope: string): Partition => catalog(`registries#${scope}`);
/** The key of the credentials for a registry. */
export const registry = (scope: string, url: string): Key => at(registries(scope), part(url));

/** All services of a home, which is the id of a namespace, or `global`. Those of workflows are in their namespace. */
export const services = (home: string): Partition => catalog(`services#${home}`);

const NAMED_SERVICE = 'service#';
/** The services of a home that users created. */
export const namedServices = (home: string): PartitionRange => ({ ...services(home), prefix: NAMED_SERVICE });
/** The key of a service that users created. */
export const namedService = (home: string, name: string): Key => at(services(home), `${NAMED_SERVICE}${name}`);

const WORKFLOW_SERVICE = 'workflow#';

/** The services of all workflows of a namespace; of one workflow; or of one function of it. */
export function workflowServices(namespaceId: string, workflowId?: string, name?: string): PartitionRange {
  const ofWorkflow = workflowId === undefined ? '' : `${workflowId}#`;
  const ofFunction = name === undefined ? '' : `${part(name)}#`;
  return { ...services(namespaceId), prefix: `${WORKFLOW_SERVICE}${ofWorkflow}${ofFunction}` };
}
/** The key of a service that a function of a workflow defines. */
export function workflowService(namespaceId: string, workflowId: string, name: string, version: string): Key {
  const { prefix, ...home } = workflowServices(namespaceId, workflowId, name);
  return at(home, `${prefix}${version}`);
}
/** The id of the workflow in a sort key of `workflowServices`. */
export const workflowIdIn = (sk: string): string => sk.split('#')[1] ?? '';

/** The event filters of a namespace, by name. */
export const eventFilters = (namespaceId: string): Partition => catalog(`event-filters#${namespaceId}`);
/** The key of an event filter. */
export const eventFilter = (namespaceId: string, name: string): Key => at(eventFilters(namespaceId), name);

// ---- The table `runs`: runs, and the listeners of events ----

const RUN = 'run#';
/** The key of a run. */
export const run = (instanceId: string): Key => at(runs(`${RUN}${instanceId}`));
/** The id of the run in a partition key of `run`. */
export const runIdIn = (pk: string): string => pk.slice(RUN.length);

/** The runs that began on a day, in the order of `runOrder`. */
export const runsBegun = (home: Home, ms: number): Partitions => ({
  table: 'runs',
  index: 'by-namespace',
  pks: dayBuckets(home, ms),
  order: 'order',
});

/** The runs that ended on a day, in the order of `runOrder`. */
export const runsEnded = (home: Home, ms: number): Partitions => ({
  table: 'runs',
  index: 'by-end',
  pks: dayBuckets(home, ms),
  order: 'endOrder',
});

/** The events that a workflow has collected for its start. */
export const collection = (workflowId: string): Key => at(runs(`collection#${workflowId}`));

/** The pending runs of a namespace that began before the reconciler's cursor, in the order of `runOrder`. */
export const openRuns = (namespaceId: string): Partition => runs(`open#${namespaceId}`);

/** How many descendants a run has. */
export const descendants = (rootId: string): Key => at(runs(`descendants#${rootId}`));

/** An idempotency key of a request that starts a workflow. */
export const idempotencyKey = (workflowId: string, text: string): Key =>
  at(runs(`idempotency#${workflowId}#${part(text)}`));

// ---- The table `journal`: log lines, events, counters ----

/** The log lines of a run that are no longer in its own item; each item contains several. */
export const logs = (instanceId: string): Partition => journal(`log#${instanceId}`);
/** The key of the lines of a run from the number `from` on. */
export const logLines = (instanceId: string, from: number): Key => at(logs(instanceId), String(from).padStart(12, '0'));

/** The steps of a run's record that are no longer in its own item; each item contains several. */
export const records = (instanceId: string): Partition => journal(`record#${instanceId}`);
/** The key of the item number `index` of a run's record. */
export const recordSteps = (instanceId: string, index: number): Key =>
  at(records(instanceId), String(index).padStart(12, '0'));

/** The lines of one day of another log; `owner` is the id of a namespace or of a workflow, or `server`. */
export const notes = (owner: string, ms: number): Partition => journal(`notes#${owner}#${dateOf(ms)}`);

/** The events of a namespace that were received before the reconciler's cursor and are not routed, by that time. */
export const openEvents = (namespaceId: string): Partition => journal(`open#${namespaceId}`);

/** The cursors of the reconciler in a namespace. */
export const openCursors = (namespaceId: string): Partition => journal(`open-cursors#${namespaceId}`);
/** The cursor of the reconciler in the runs, the events or the tasks for workers of a namespace. */
export const openCursor = (namespaceId: string, kind: 'runs' | 'events' | 'tasks'): Key =>
  at(openCursors(namespaceId), kind);

/** The passes over all namespaces that continue where the one before ended. */
export type PassName = 'reconciler' | 'sweep';
/** The namespace with which the next pass begins. */
export const passCursor = (name: PassName): Key => at(journal('pass-cursors'), name);

/** The deliveries that exhausted their retries. */
export const deadLetters = (namespaceId: string): Partition => journal(`dead-letters#${namespaceId}`);
/** The key of a dead letter. */
export const deadLetter = (namespaceId: string, id: string): Key => at(deadLetters(namespaceId), id);

/** The counters and high-water marks of a namespace. */
export const counters = (namespaceId: string): Partition => journal(`counters#${namespaceId}`);
/** The key of a counter or high-water mark. */
export const counter = (namespaceId: string, name: string): Key => at(counters(namespaceId), name);

/** When a namespace began to postpone definitions of machines, and how many of them were made since. */
export const definitionCount = (namespaceId: string): Key => counter(namespaceId, 'definitions');

/** The counters of the pending runs of a namespace that limits them. The number of runs is their sum. */
export const activeRuns = (namespaceId: string): readonly Key[] =>
  Array.from({ length: ACTIVE_SHARDS }, (_, shard) => counter(namespaceId, `limit-active#${shard}`));
/** One item could not count all runs that begin and end at the same time. */
const ACTIVE_SHARDS = 8;

/** The counter of the starts of a namespace that limits them, in the period with this number. */
export const takenIn = (namespaceId: string, kind: 'starts' | 'events', period: number): Key =>
  counter(namespaceId, `limit-${kind}#${String(period).padStart(TIME_DIGITS, '0')}`);

/** A counter of what variables of a namespace take: those that do not expire, or those of a period of runs. */
export const storedVariables = (namespaceId: string, window: string, shard: number): Key =>
  counter(namespaceId, `stored#${window}#${shard}`);

/** How many partitions the audit log of a day has: one of them takes 1,000 writes a second. */
export const AUDIT_SHARDS = 8;

/** A part of the audit log of a day, in the order of time. It is keyed by no namespace, and outlives them. */
export const auditLog = (ms: number, shard: number): Partition => journal(`audit#${dateOf(ms)}#${shard}`);
/** The key of an entry of the audit log. */
export const auditEntry = (ms: number, shard: number, id: string): Key =>
  at(auditLog(ms, shard), `${timeText(ms)}#${id}`);

/** The time up to which the audit log was sent as events. */
export const AUDIT_CURSOR: Key = at(journal('audit-cursor'));

/** How many calls of functions the account allows at the same time. */
export const CONCURRENT_CALLS: Key = at(journal('concurrent-calls'));

/** The requests that wait at this moment; a shard has some of the places for them. */
export const waitingRequests = (shard: number): Partition => journal(`waiting-requests#${shard}`);
/** The key of a request that waits, by the time when it came. */
export const waitingRequest = (shard: number, ms: number, id: string): Key =>
  at(waitingRequests(shard), `${timeText(ms)}#${id}`);

// ---- Blobs ----

/** The beginnings of the keys of blobs that no deletion removes: they are removed when their owner has expired. */
export const blobPrefixes = { runs: 'runs/', instances: 'instances/', threads: 'threads/', events: 'events/' } as const;

/** The last part of the key of a blob, with the time when it is written, milliseconds since 1970. */
export const writtenAt = (name: string, ms: number): string => `${name}@${ms}`;

/** When a blob was written, from its key, milliseconds since 1970; 0 for a key without a time. */
export const writeTimeOf = (key: string): number => Number(/@(\d+)/.exec(key)?.[1] ?? 0);

/** The progress of the removal of blobs without an owner. */
export const blobSweep: Key = at(journal('blob-sweep'));

/** The key of a blob. */
export const blobOf = (...parts: readonly string[]): string => parts.join('/');
