import type { Item, Key, Table, Write } from '../../ports/table.ts';
import { stillThere } from '../credentials/secrets.ts';
import { ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll, readPrefix } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import type { WorkflowNode } from '../tree/nodes.ts';
import { isServiceName, type Naming, shownName } from './names.ts';
import { namesOf, type ServiceRevision } from './revisions.ts';
import type { Share } from './traffic.ts';

/** Whose services: everybody's, those of a namespace, those that a workflow defines. */
export type Scope =
  | { readonly kind: 'global' }
  | { readonly kind: 'namespace'; readonly namespace: Pick<Namespace, 'id' | 'name'> }
  | {
      readonly kind: 'workflow';
      readonly namespace: Pick<Namespace, 'id' | 'name'>;
      readonly workflow: Pick<WorkflowNode, 'id' | 'path'>;
    };

/** A container service. Whoever changes it counts `change` up, so that no change is lost. */
export interface Service {
  readonly id: string;
  readonly scope: Scope;
  readonly name: string;
  /** Tells services of one name apart that a workflow defined in its course; empty elsewhere. */
  readonly version: string;
  /** The newest first; there is always one. */
  readonly revisions: readonly ServiceRevision[];
  readonly traffic: readonly Share[];
  /** The generation that was given last. */
  readonly last: number;
  readonly change: number;
  /** When a workflow last called it, roughly; milliseconds since 1970. */
  readonly called: number;
}

export const GLOBAL = { kind: 'global' } as const satisfies Scope;

type Reader = { readonly table: Table };

/** The partition of a scope's services. */
export const homeOf = (scope: Scope): string => (scope.kind === 'global' ? scope.kind : scope.namespace.id);

const prefixOf = (scope: Scope): string =>
  scope.kind === 'workflow' ? keys.workflowServices(scope.workflow.id) : keys.NAMED_SERVICES;

export function keyOf({ scope, name, version }: Pick<Service, 'scope' | 'name' | 'version'>): Key {
  if (scope.kind !== 'workflow') return keys.service(homeOf(scope), name);
  return keys.workflowService(scope.namespace.id, scope.workflow.id, name, version);
}

/** What must hold for a service of the scope to be written: what is being deleted gets nothing new. */
export const guardsOf = (scope: Scope): readonly Write[] =>
  scope.kind === 'namespace' ? [stillThere(scope.namespace)] : [];

export function namingOf({ scope, name, version }: Pick<Service, 'scope' | 'name' | 'version'>): Naming {
  if (scope.kind === 'namespace') return { kind: 'namespace', namespace: scope.namespace.name, name };
  return scope.kind === 'global' ? { kind: 'global', name } : { kind: 'workflow', version, name };
}

/** The name that users see. */
export const nameOf = (service: Service): string => shownName(namingOf(service));

/** The names of one of its revisions. */
export const namesOfRevision = (service: Service, revision: Pick<ServiceRevision, 'generation'>) =>
  namesOf({ id: service.id, naming: namingOf(service) }, revision);

/** The newest revision, which says what the service is. */
export function newestOf({ revisions, name }: Service): ServiceRevision {
  const [newest] = revisions;
  if (newest === undefined) throw new Error(`the service ${name} has no revision`);
  return newest;
}

export function toItem(service: Service): Item {
  const { id, name, version, revisions, traffic, last, change, called } = service;
  const { pk, sk } = keyOf(service);
  const containers = revisions.map((revision) => namesOfRevision(service, revision).id);
  const kept = { revisions: JSON.stringify(revisions), traffic: JSON.stringify(traffic) };
  return { pk, sk, id, name, version, ...kept, containers: JSON.stringify(containers), last, change, called };
}

/** The ids of the port that an item's revisions have. */
export const containersOf = (item: Item): readonly string[] =>
  JSON.parse(String(item['containers'])) as readonly string[];

export function fromItem(item: Item, scope: Scope): Service {
  return {
    id: String(item['id']),
    scope,
    name: String(item['name']),
    version: String(item['version']),
    revisions: JSON.parse(String(item['revisions'])) as ServiceRevision[],
    traffic: JSON.parse(String(item['traffic'])) as Share[],
    last: Number(item['last']),
    change: Number(item['change']),
    called: Number(item['called']),
  };
}

async function read({ table }: Reader, scope: Scope, prefix: string): Promise<Service[]> {
  const items = await readPrefix(table, keys.services(homeOf(scope)), prefix);
  return items.map((item) => fromItem(item, scope));
}

/** The services of a scope, by name. */
export const list = (reader: Reader, scope: Scope): Promise<Service[]> => read(reader, scope, prefixOf(scope));

const isNumber = (text: string): boolean => /^\d{1,20}$/.test(text);

/**
 * The service of that name; of those of a workflow that of the version, or the newest if none is given (rest-api
 * reference, 11.7). Throws `refused` for a version that is none (500, rest-api reference, 11.7).
 */
export async function find(reader: Reader, scope: Scope, name: string, version = ''): Promise<Service | undefined> {
  if (scope.kind === 'workflow' && version === '') {
    const all = await read(reader, scope, keys.workflowServices(scope.workflow.id, name));
    return all.sort((a, b) => newestOf(b).created - newestOf(a).created)[0];
  }
  if (scope.kind === 'workflow' && !isNumber(version)) {
    throw new ServiceError('refused', `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (scope.kind !== 'workflow' && !isServiceName(name)) return undefined;
  const [item] = await reader.table.get([keyOf({ scope, name, version })]);
  return item === undefined ? undefined : fromItem(item, scope);
}

/** As `find`. Throws `not-found` when there is none. */
export async function need(reader: Reader, scope: Scope, name: string, version = ''): Promise<Service> {
  const found = await find(reader, scope, name, version);
  if (found === undefined) throw new ServiceError('not-found', `not found: there is no service '${name}'`);
  return found;
}

/** The ids of the port of all that a namespace has, its workflows included. */
export async function containersIn({ table }: Reader, namespaceId: string): Promise<readonly string[]> {
  return (await readAll(table, keys.services(namespaceId))).flatMap(containersOf);
}
