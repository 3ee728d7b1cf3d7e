import type { RevisionStatus } from '../../ports/containers.ts';
import type { Ports } from '../../ports/ports.ts';
import { credentialsFor } from '../credentials/registries.ts';
import { isNativeRevision } from './natives.ts';
import { type ServiceRevision, toContainer } from './revisions.ts';
import { fromItem, keyOf, namesOfRevision, namingOf, type Service } from './services.ts';

/** The ports that running containers requires. */
export type ContainerNeeds = Pick<Ports, 'table' | 'sealer' | 'containers'>;

/** The status of a revision in the port of containers. */
export type ContainerStatus = Omit<RevisionStatus, 'id'>;

/** Statuses of revisions, by their ids in the port of containers. */
export type ContainerStatuses = ReadonlyMap<string, ContainerStatus>;

const PREPARING: ContainerStatus = { state: 'preparing', reason: '', message: '', pods: [] };
const NATIVE: ContainerStatus = {
  state: 'ready',
  reason: 'Native',
  message: 'Weft serves this image itself, without a container.',
  pods: [],
};
const unable = (message: string): ContainerStatus => ({ state: 'failed', reason: 'NoContainers', message, pods: [] });

async function begin(needs: ContainerNeeds, service: Service, revision: ServiceRevision): Promise<void> {
  const { scope, id } = service;
  const namespace = scope.kind === 'global' ? undefined : scope.namespace;
  const found = await credentialsFor(needs, namespace ?? 'global', revision.image);
  const credentials = found.map(({ url, user, password }) => ({ url, user, token: password }));
  const tenant = namespace && { id: namespace.id, name: namespace.name };
  await needs.containers.prepare(toContainer({ id, naming: namingOf(service), tenant }, revision, credentials));
}

/** Removes the containers of revisions that were deleted while they were prepared. */
async function removeDeleted(needs: ContainerNeeds, service: Service, begun: readonly ServiceRevision[]) {
  const [item] = await needs.table.get([keyOf(service)]);
  const current = item === undefined ? undefined : fromItem(item, service.scope);
  const kept = new Set(current?.id === service.id ? current.revisions.map(({ generation }) => generation) : []);
  const gone = begun.filter(({ generation }) => !kept.has(generation));
  await Promise.all(gone.map((revision) => needs.containers.remove(namesOfRevision(service, revision).id)));
}

/** Prepares containers of revisions to run. Has no effect where none can run: `statusesOf` prepares them later. */
export async function prepare(
  needs: ContainerNeeds,
  service: Service,
  revisions: readonly ServiceRevision[],
): Promise<void> {
  if (revisions.length === 0 || (await needs.containers.problem()) !== undefined) return;
  await Promise.all(revisions.map((revision) => begin(needs, service, revision)));
  await removeDeleted(needs, service, revisions);
}

/** Prepares those of the revisions that are not ready without a container. */
export const prepareNeeded = (needs: ContainerNeeds, service: Service, revisions: readonly ServiceRevision[]) =>
  prepare(
    needs,
    service,
    revisions.filter((revision) => !isNativeRevision(service, revision)),
  );

/**
 * Returns the statuses of all revisions of the services. A native revision is ready without a container. A revision that the
 * port does not know, because its preparation was interrupted, is prepared again.
 */
export async function statusesOf(needs: ContainerNeeds, services: readonly Service[]): Promise<ContainerStatuses> {
  const all = services.flatMap((service) =>
    service.revisions.map((revision) => ({ service, revision, id: namesOfRevision(service, revision).id })),
  );
  const { native = [], container = [] } = Object.groupBy(all, ({ service, revision }) =>
    isNativeRevision(service, revision) ? 'native' : 'container',
  );
  return new Map([...native.map(({ id }) => [id, NATIVE] as const), ...(await statusesOfContainers(needs, container))]);
}

interface Container {
  readonly service: Service;
  readonly revision: ServiceRevision;
  readonly id: string;
}

async function statusesOfContainers(needs: ContainerNeeds, all: readonly Container[]): Promise<ContainerStatuses> {
  // Without this, a list without services would look for a container engine.
  if (all.length === 0) return new Map();
  const problem = await needs.containers.problem();
  if (problem !== undefined) return new Map(all.map(({ id }) => [id, unable(problem)]));
  const found = await needs.containers.status(all.map(({ id }) => id));
  const unknown = all.filter((_, index) => found[index] === undefined);
  const byService = Map.groupBy(unknown, ({ service }) => service);
  const prepared = [...byService].map(([service, some]) => {
    const revisions = some.map(({ revision }) => revision);
    return prepare(needs, service, revisions);
  });
  await Promise.all(prepared);
  return new Map(all.map(({ id }, index) => [id, found[index] ?? PREPARING]));
}

/** The status of a revision. */
export const statusOf = (statuses: ContainerStatuses, service: Service, revision: ServiceRevision): ContainerStatus =>
  statuses.get(namesOfRevision(service, revision).id) ?? PREPARING;
