import { createHash } from 'node:crypto';
import type { Key, TableName } from '../ports.ts';

/** Where everything is kept. A namespace is keyed by its id, so a re-created namespace is empty. */
const key =
  (table: TableName) =>
  (pk: string, sk: string): Key => ({ table, pk, sk });
const catalog = key('catalog');
const runs = key('runs');

const ITSELF = '.';
const MS_OF_A_DAY = 86_400_000;

export const NAMESPACES = 'namespaces';
export const API_KEYS = 'api-keys';
export const PURGES = 'purges';

export const namespace = (name: string): Key => catalog(NAMESPACES, name);
export const apiKey = (hash: string): Key => catalog(API_KEYS, hash);
export const purge = (id: string): Key => catalog(PURGES, id);
/** Children are keyed by their directory's id, so moving or deleting a directory is one write. */
export const directory = (directoryId: string): string => `directory#${directoryId}`;
export const node = (directoryId: string, name: string): Key => catalog(directory(directoryId), name);
export const workflow = (workflowId: string): string => `workflow#${workflowId}`;
export const revision = (workflowId: string, revisionId: string): Key => catalog(workflow(workflowId), revisionId);
export const refs = (workflowId: string): string => `refs#${workflowId}`;
export const ref = (workflowId: string, name: string): Key => catalog(refs(workflowId), name);

export type VariableOwner = { readonly scope: 'namespace' | 'workflow' | 'instance' | 'thread'; readonly id: string };
export const variables = ({ scope, id }: VariableOwner): string => `variables#${scope}#${id}`;
export const tableOfVariables = ({ scope }: VariableOwner): TableName =>
  scope === 'instance' || scope === 'thread' ? 'runs' : 'catalog';
export const variable = (owner: VariableOwner, name: string): Key => ({
  table: tableOfVariables(owner),
  pk: variables(owner),
  sk: name,
});

export const run = (instanceId: string): Key => runs(`run#${instanceId}`, ITSELF);
export const logs = (instanceId: string): string => `log#${instanceId}`;
export const logLines = (instanceId: string, from: number): Key => ({
  table: 'journal',
  pk: logs(instanceId),
  sk: String(from).padStart(12, '0'),
});

/** Texts of users may be longer than a key: what is too long is named by its hash. */
const LONGEST_PART = 200;
const part = (text: string): string =>
  text.length <= LONGEST_PART ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;

const LONGEST_MS = 15;
/** Sorts by time; the id tells events of one millisecond apart. */
export const eventTime = (ms: number): string => String(ms).padStart(LONGEST_MS, '0');
const eventsOfDay = (namespaceId: string, type: string, day: string): string =>
  `events#${namespaceId}#${part(type)}#${day}`;
export const event = (namespaceId: string, type: string, ms: number, id: string): Key => ({
  table: 'journal',
  pk: eventsOfDay(namespaceId, type, dayOf(ms)),
  sk: `${eventTime(ms)}#${part(id)}`,
});
export const eventId = (namespaceId: string, id: string): Key => ({
  table: 'journal',
  pk: `event-id#${namespaceId}#${part(id)}`,
  sk: ITSELF,
});
/** The partition of all events of a day in the index by time. */
export const eventsOf = (namespaceId: string, ms: number): string => `${namespaceId}#${dayOf(ms)}`;

function daysBetween(from: number, to: number): string[] {
  const days: string[] = [];
  for (let ms = from; dayOf(ms) <= dayOf(to); ms += MS_OF_A_DAY) days.push(dayOf(ms));
  return days;
}
/** The partitions that hold a type's events of [from, to], the oldest first. */
export const eventDays = (namespaceId: string, type: string, from: number, to: number): string[] =>
  daysBetween(from, to).map((day) => eventsOfDay(namespaceId, type, day));
/** The partitions of the index by time for [from, to], the newest first. */
export const eventBuckets = (namespaceId: string, from: number, to: number): string[] =>
  daysBetween(from, to)
    .map((day) => `${namespaceId}#${day}`)
    .reverse();

/** Who listens to a type. */
export const listeners = (namespaceId: string, type: string): string => `listeners#${namespaceId}#${part(type)}`;
export const listener = (namespaceId: string, type: string, owner: string, slot: number): Key =>
  runs(listeners(namespaceId, type), `${owner}#${String(slot).padStart(3, '0')}`);
/** All listeners of a namespace in the index of instances. */
export const listenersOf = (namespaceId: string): string => `${namespaceId}#listeners`;
/** The events that a workflow has collected towards its start. */
export const collection = (workflowId: string): Key => runs(`collection#${workflowId}`, ITSELF);
/** A request that is to be done once. */
export const claim = (workflowId: string, key: string): Key => runs(`claim#${workflowId}#${part(key)}`, ITSELF);

/** Instances are listed by day, so no partition of the index grows for ever. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const instancesOf = (namespaceId: string, ms: number): string => `${namespaceId}#${dayOf(ms)}`;
export const nextDay = (ms: number): number => ms + MS_OF_A_DAY;

export const blobOf = (...parts: readonly string[]): string => parts.join('/');
