import type { Key } from '../../../ports/table.ts';
import { sha256 } from '../ids.ts';
import { at, catalog, type Partition, type PartitionRange, runOrder, runs } from '../key-parts.ts';
import { priorityText } from './worker-keys.ts';

/** The limits of the functions of a namespace, by their scopes. */
export const functionLimits = (namespaceId: string): Partition => catalog(`function-limits#${namespaceId}`);

/** What has places: a workflow, by its id, or a scope of functions. Ids have no slash. */
export const scopeOwner = (namespaceId: string, scope: string): string => `${namespaceId}/${scope}`;

/** The key of the limits that the latest revision of a workflow sets, or the latest revision with a function of a scope. */
export function ownerLimits(owner: string): Key {
  const [namespaceId = '', scope] = owner.split('/');
  return scope === undefined ? at(catalog(`concurrency#${owner}`)) : at(functionLimits(namespaceId), scope);
}

const SHARDS = '0123456789abcdef';
const HASH_LENGTH = 32;

const shard = (owner: string, digit: string): Partition => runs(`concurrency#${owner}#${digit}`);

/** The partitions with the holders and the queues of an owner: one of them takes 1,000 writes a second. */
export const concurrencyShards = (owner: string): readonly Partition[] =>
  [...SHARDS].map((digit) => shard(owner, digit));

/** The runs of a workflow, or the calls of a scope, that share places: those with one value of its key. */
export interface Group {
  /** The id of the workflow, or the `scopeOwner`. */
  readonly owner: string;
  /** The value of the key as text; empty without a key. */
  readonly key: string;
}

const hashOf = ({ key }: Group): string => sha256(key).slice(0, HASH_LENGTH);
const partitionOf = (group: Group): Partition => shard(group.owner, hashOf(group).charAt(0));

/** The item of the holders of a group's places, and after it its queue, the first one first. */
export const groupItems = (group: Group): PartitionRange => ({ ...partitionOf(group), prefix: `${hashOf(group)}#` });

/** The key of the item with the last starts of a group. */
export const rate = (group: Group): Key => at(runs(`rate#${group.owner}#${hashOf(group)}`));

/** The key of the item that names the run which further starts of a group join. */
export const joinable = (group: Group): Key => at(runs(`join#${group.owner}#${hashOf(group)}`));

/** The key of the item of a start that has joined a run, by the id that a run of its own would have. */
export const joined = (id: string): Key => at(runs(`joined#${id}`));

const HOLDERS = '0';
const QUEUE = '1';

/** The key of the item of the holders. */
export const holders = (group: Group): Key => at(partitionOf(group), `${hashOf(group)}#${HOLDERS}`);

/** The place of a run in its queue. */
export interface QueueOrder {
  /** It goes before all others that are not. */
  readonly isUrgent: boolean;
  readonly priority: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** The key of a run in the queue of its group. */
export function queued(group: Group, { isUrgent, priority, created }: QueueOrder, id: string): Key {
  const order = `${isUrgent ? 0 : 1}#${priorityText(priority)}#${runOrder(created, id)}`;
  return at(partitionOf(group), `${hashOf(group)}#${QUEUE}#${order}`);
}

/** The queue of a group up to a sort key, which is included. */
export const queueUpTo = (group: Group, sk: string) => ({
  ...partitionOf(group),
  from: `${hashOf(group)}#${QUEUE}#`,
  to: sk,
});

/** The key with a sort key of `queued`. */
export const queueEntry = (group: Group, sk: string): Key => at(partitionOf(group), sk);

/** Whether a sort key is of `queued`. */
export const isQueued = (sk: string): boolean => sk.charAt(HASH_LENGTH + 1) === QUEUE;
