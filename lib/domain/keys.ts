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

export type VariableOwner = { readonly scope: 'namespace' | 'workflow' | 'instance' | 'thread'; readonly id: string };
export const variables = ({ scope, id }: VariableOwner): string => `variables#${scope}#${id}`;
export const variable = (owner: VariableOwner, name: string): Key => ({
  table: owner.scope === 'instance' || owner.scope === 'thread' ? 'runs' : 'catalog',
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

/** Instances are listed by day, so no partition of the index grows for ever. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const instancesOf = (namespaceId: string, ms: number): string => `${namespaceId}#${dayOf(ms)}`;
export const nextDay = (ms: number): number => ms + MS_OF_A_DAY;

export const blobOf = (...parts: readonly string[]): string => parts.join('/');
