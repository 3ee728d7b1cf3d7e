import { createHash } from 'node:crypto';
import type { Key, TableName } from '../../ports/table.ts';

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
/** Which layout the tables have. */
export const LAYOUT: Key = catalog('layout', ITSELF);

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

/** The data key under which the secrets and credentials of an owner are sealed: a namespace's id, or the installation. */
export const dataKey = (owner: string): Key => catalog(`data-key#${owner}`, ITSELF);
export const secrets = (namespaceId: string): string => `secrets#${namespaceId}`;
export const secret = (namespaceId: string, name: string): Key => catalog(secrets(namespaceId), name);
/** Of a namespace's id, `global` or `private`. */
export const registries = (scope: string): string => `registries#${scope}`;
export const registry = (scope: string, url: string): Key => catalog(registries(scope), part(url));

/** Of a namespace's id, or `global`. The services of workflows stand with those of their namespace. */
export const services = (home: string): string => `services#${home}`;
export const NAMED_SERVICES = 'service#';
export const service = (home: string, name: string): Key => catalog(services(home), `${NAMED_SERVICES}${name}`);
export const WORKFLOW_SERVICES = 'workflow#';
/** How the services of a workflow begin, or those of them that one of its functions calls. */
export const workflowServices = (workflowId: string, name?: string): string =>
  `${WORKFLOW_SERVICES}${workflowId}#${name === undefined ? '' : `${part(name)}#`}`;
export const workflowOfService = (sk: string): string => sk.split('#')[1] ?? '';
export const workflowService = (namespaceId: string, workflowId: string, name: string, version: string): Key =>
  catalog(services(namespaceId), `${workflowServices(workflowId, name)}${version}`);

export const run = (instanceId: string): Key => runs(`run#${instanceId}`, ITSELF);
export const logs = (instanceId: string): string => `log#${instanceId}`;
export const logLines = (instanceId: string, from: number): Key => ({
  table: 'journal',
  pk: logs(instanceId),
  sk: String(from).padStart(12, '0'),
});

/** The lines of one day of a log; `owner` is a namespace or a workflow by its id, or the server. */
export const notes = (owner: string, ms: number): string => `notes#${owner}#${dayOf(ms)}`;

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
/** A repetition of an event: it stands among the events of its own time. */
export const eventReplay = (namespaceId: string, type: string, ms: number, id: string, replay: string): Key => {
  const { table, pk, sk } = event(namespaceId, type, ms, id);
  return { table, pk, sk: `${sk}#${replay}` };
};
export const eventId = (namespaceId: string, id: string): Key => ({
  table: 'journal',
  pk: `event-id#${namespaceId}#${part(id)}`,
  sk: ITSELF,
});
/** What stands for an id in the sort key of an event. */
export const eventIdPart = (id: string): string => part(id);
/** When an event was due, by its sort key; milliseconds since 1970. */
export const timeInEvent = (sk: string): number => Number(sk.slice(0, LONGEST_MS)) || 0;
export const idInTime = (time: string): string => time.slice(LONGEST_MS + 1);
const HASHED = /^sha256:[0-9a-f]{64}$/;
const LENGTH_OF_DAY = 10;
/** The type of the events of a partition; undefined where its hash stands for it, or might. */
export function typeInEvents(pk: string): string | undefined {
  const [kind = '', namespaceId = ''] = pk.split('#', 2);
  const type = pk.slice(kind.length + namespaceId.length + 2, -LENGTH_OF_DAY - 1);
  return HASHED.test(type) ? undefined : type;
}
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

/** How events are filtered on their way in, by name. */
export const eventFilters = (namespaceId: string): string => `event-filters#${namespaceId}`;
export const eventFilter = (namespaceId: string, name: string): Key => catalog(eventFilters(namespaceId), name);
/** What could not be brought to whom it was for. */
export const failedDeliveries = (namespaceId: string): string => `failed-deliveries#${namespaceId}`;
export const failedDelivery = (namespaceId: string, id: string): Key => ({
  table: 'journal',
  pk: failedDeliveries(namespaceId),
  sk: id,
});

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
/** The runs that ended on a day, in the index by end. */
export const endsOf = (namespaceId: string, ms: number): string => `${namespaceId}#${dayOf(ms)}`;
/** The place of a run in an index by time. */
export const runOrder = (ms: number, id: string): string => `${eventTime(ms)}#${id}`;
/** The counters of a namespace. */
export const counters = (namespaceId: string): string => `counters#${namespaceId}`;
export const counter = (namespaceId: string, name: string): Key => ({
  table: 'journal',
  pk: counters(namespaceId),
  sk: name,
});
export const nextDay = (ms: number): number => ms + MS_OF_A_DAY;

export const blobOf = (...parts: readonly string[]): string => parts.join('/');
