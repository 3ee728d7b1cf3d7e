import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Write } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import { existenceCheck, type Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import type { WorkflowNode } from '../tree/nodes.ts';
import { isServiceName, type Naming, shownName } from './names.ts';
import { namesOf, type ServiceRevision } from './revisions.ts';
import type { Share } from './traffic.ts';

/** The scope of services: global, of a namespace, or defined by a workflow. */
export type Scope =
  | { readonly kind: 'global' }
  | {
      readonly kind: 'namespace';
      readonly namespace: Pick<Namespace, 'id' | 'name'> & Partial<Pick<Namespace, 'avoidsNative' | 'limits'>>;
    }
  | {
      readonly kind: 'workflow';
      readonly namespace: Pick<Namespace, 'id' | 'name'>;
      readonly workflow: Pick<WorkflowNode, 'id' | 'path'>;
    };

/** A container service. Each change increments `change`, so that no concurrent change is lost. */
export interface Service {
  readonly id: string;
  readonly scope: Scope;
  readonly name: string;
  /** Identifies a definition of a workflow's service, among those of its revisions; empty in the other scopes. */
  readonly version: string;
  /** The newest first; at least one. */
  readonly revisions: readonly ServiceRevision[];
  readonly traffic: readonly Share[];
  /** The generation of the last revision that was added. */
  readonly last: number;
  readonly change: number;
  /** When a workflow last called it, with a precision of minutes; milliseconds since 1970. */
  readonly called: number;
}

export const GLOBAL = { kind: 'global' } as const satisfies Scope;

type Reader = Pick<Ports, 'table'>;

/** The home of a scope in the keys of services. */
export const homeOf = (scope: Scope): string => (scope.kind === 'global' ? scope.kind : scope.namespace.id);

const rangeOf = (scope: Scope): keys.PartitionRange =>
  scope.kind === 'workflow'
    ? keys.workflowServices(scope.namespace.id, scope.workflow.id)
    : keys.namedServices(homeOf(scope));

/** The key of a service. */
export function keyOf({ scope, name, version }: Pick<Service, 'scope' | 'name' | 'version'>): Key {
  if (scope.kind !== 'workflow') return keys.namedService(homeOf(scope), name);
  return keys.workflowService(scope.namespace.id, scope.workflow.id, name, version);
}

/** The checks of a write of a service in the scope: a deleted namespace gets no new services. */
export const guardsOf = (scope: Scope): readonly Write[] =>
  scope.kind === 'namespace' ? [existenceCheck(scope.namespace)] : [];

/** The parts of the name of a service. */
export function namingOf({ scope, name, version }: Pick<Service, 'scope' | 'name' | 'version'>): Naming {
  if (scope.kind === 'namespace') return { kind: 'namespace', namespace: scope.namespace.name, name };
  return scope.kind === 'global' ? { kind: 'global', name } : { kind: 'workflow', version, name };
}

/** The name that users see. */
export const nameOf = (service: Service): string => shownName(namingOf(service));

/** The names of a revision of a service. */
export const namesOfRevision = (service: Service, revision: Pick<ServiceRevision, 'generation'>) =>
  namesOf({ id: service.id, naming: namingOf(service) }, revision);

/** The newest revision, whose settings are those of the service. Throws Error when there is none. */
export function newestOf({ revisions, name }: Service): ServiceRevision {
  const [newest] = revisions;
  if (newest === undefined) throw new Error(`the service ${name} has no revision`);
  return newest;
}

/** The item of a service. */
export function toItem(service: Service): Item {
  const { id, name, version, revisions, traffic, last, change, called } = service;
  const { pk, sk } = keyOf(service);
  const containers = revisions.map((revision) => namesOfRevision(service, revision).id);
  const kept = { revisions: JSON.stringify(revisions), traffic: JSON.stringify(traffic) };
  return { pk, sk, id, name, version, ...kept, containers: JSON.stringify(containers), last, change, called };
}

/** The ids in the port of containers of the revisions in an item. */
export const containersOf = (item: Item): readonly string[] =>
  parseJson(String(item['containers'])) as readonly string[];

/** The service of an item. */
export function fromItem(item: Item, scope: Scope): Service {
  return {
    id: String(item['id']),
    scope,
    name: String(item['name']),
    version: String(item['version']),
    revisions: parseJson(String(item['revisions'])) as ServiceRevision[],
    traffic: parseJson(String(item['traffic'])) as Share[],
    last: Number(item['last']),
    change: Number(item['change']),
    called: Number(item['called']),
  };
}

async function read({ table }: Reader, scope: Scope, range: keys.PartitionRange): Promise<Service[]> {
  return (await readAll(table, range)).map((item) => fromItem(item, scope));
}

/** The services of a scope, by name. */
export const list = (reader: Reader, scope: Scope): Promise<Service[]> => read(reader, scope, rangeOf(scope));

const isNumber = (text: string): boolean => /^\d{1,20}$/.test(text);

/**
 * Returns the service with this name, or undefined. Of a workflow's service it is the given version, or the newest one.
 * Throws `refused` for a malformed version (500, rest-api reference, 11.7).
 */
export async function find(reader: Reader, scope: Scope, name: string, version = ''): Promise<Service | undefined> {
  if (scope.kind === 'workflow' && version === '') {
    const all = await read(reader, scope, keys.workflowServices(scope.namespace.id, scope.workflow.id, name));
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

/** The ids in the port of containers of all revisions of a namespace's services, those of workflows included. */
export async function containersIn({ table }: Reader, namespaceId: string): Promise<readonly string[]> {
  return (await readAll(table, keys.services(namespaceId))).flatMap(containersOf);
}
