import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Write } from '../../ports/table.ts';
import { changedMeanwhile, notFound, ServiceError } from '../errors.ts';
import { mostOf, needRoom } from '../quotas.ts';
import { onConflict, retryOnConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import * as purges from '../storage/purges.ts';
import { countAll } from '../storage/queries.ts';
import { type ContainerNeeds, prepareNeeded } from './containers.ts';
import { needServiceName, toGeneration } from './names.ts';
import { retained, type ServiceRevision } from './revisions.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { type ServiceInput, toSettings } from './settings.ts';
import * as traffic from './traffic.ts';

type Needs = ContainerNeeds & { readonly clock: Clock; readonly settings: Pick<Settings, 'maxScale' | 'quotas'> };
type NamedScope = Exclude<Scope, { readonly kind: 'workflow' }>;

/** Each conflict is a change by another request that succeeded, so many concurrent changes all succeed in time. */
const MAX_ATTEMPTS = 50;

/** The purges of the containers of revisions. */
function purgesOf(ports: Pick<Needs, 'clock'>, service: Service, gone: readonly ServiceRevision[]): purges.Purge[] {
  const namespaceId = services.homeOf(service.scope);
  const ids = gone.map((revision) => services.namesOfRevision(service, revision).id);
  return ids.map((id) => purges.of(ports, { kind: 'container', id, namespaceId }));
}

/** Removes the containers of deleted revisions, then the markers of their purges. */
async function finish({ table, containers }: Pick<Needs, 'table' | 'containers'>, gone: readonly purges.Purge[]) {
  await Promise.all(gone.map(({ id }) => containers.remove(id)));
  if (gone.length > 0) await table.write(gone.map(purges.toDeletion));
}

/** Returns a new service, whose first revision gets all traffic. */
export function newService(
  { clock }: Pick<Ports, 'clock'>,
  { scope, name, version }: Pick<Service, 'scope' | 'name' | 'version'>,
  settings: ReturnType<typeof toSettings>,
): Service {
  const created = clock.now();
  return {
    id: clock.uuid(),
    scope,
    name,
    version,
    revisions: [{ ...settings, generation: 1, created }],
    traffic: [{ generation: 1, percent: traffic.ALL }],
    last: 1,
    change: 1,
    called: created,
  };
}

/** Creates a service. Throws `invalid`, `exists`, `not-found` for the namespace, and `over-quota`. */
export async function create(ports: Needs, scope: NamedScope, name: string, input: ServiceInput): Promise<void> {
  needServiceName(scope.kind, name);
  if (scope.kind === 'namespace') {
    const used = await countAll(ports.table, keys.namedServices(scope.namespace.id));
    needRoom(mostOf(ports.settings, 'services', scope.namespace.limits), 'services', used);
  }
  const service = newService(ports, { scope, name, version: '' }, toSettings(ports, input));
  const put: Write = { do: 'put', table: 'catalog', item: services.toItem(service), when: { absent: true } };
  await throwOnConflict(ports.table.write([put, ...services.guardsOf(scope)]), ({ failed }) =>
    failed.includes(0)
      ? new ServiceError('exists', `already exists: there is a service '${name}'; add a revision to it`)
      : notFound('namespace'),
  );
  await prepareNeeded(ports, service, service.revisions);
}

/** A service after a change, and the revisions that the change deletes. */
interface Change {
  readonly service: Service;
  readonly gone: readonly ServiceRevision[];
}

/** Changes a service; `to` is called again when another request changed it meanwhile. Throws `unavailable`, `not-found`. */
async function change(ports: Needs, scope: Scope, name: string, to: (service: Service) => Change): Promise<Service> {
  const attempt = async () => {
    const before = await services.need(ports, scope, name);
    const { service, gone } = to(before);
    const removed = purgesOf(ports, before, gone);
    const item = services.toItem({ ...service, change: before.change + 1 });
    const when = { equals: { id: before.id, change: before.change } };
    await ports.table.write([{ do: 'put', table: 'catalog', item, when }, ...removed.map(purges.toWrite)]);
    return { service, removed };
  };
  const { service, removed } = await throwOnConflict(retryOnConflict(attempt, MAX_ATTEMPTS), () =>
    changedMeanwhile(`the service '${name}'`),
  );
  await finish(ports, removed);
  return service;
}

/**
 * Adds a revision that gets `trafficPercent` of the traffic. Of too many revisions the oldest without traffic are deleted.
 * Throws `invalid`, `not-found`.
 */
export async function addRevision(
  ports: Needs,
  scope: NamedScope,
  name: string,
  input: ServiceInput & { readonly trafficPercent: number | string },
): Promise<void> {
  const settings = toSettings(ports, input);
  const percent = Number(input.trafficPercent);
  const changed = await change(ports, scope, name, (service) => {
    const generation = service.last + 1;
    const revision: ServiceRevision = { ...settings, generation, created: ports.clock.now() };
    const shares = traffic.withNew(service.traffic, generation, percent);
    const { kept, expired } = retained([revision, ...service.revisions], (one) => {
      return one.generation === generation || traffic.percentOf(shares, one.generation) > 0;
    });
    return { service: { ...service, revisions: kept, traffic: shares, last: generation }, gone: expired };
  });
  await prepareNeeded(ports, changed, [services.newestOf(changed)]);
}

/** Divides the traffic of a service. Throws as `traffic.divided` does, and `not-found`. */
export async function divideTraffic(
  ports: Needs,
  scope: NamedScope,
  name: string,
  given: readonly { readonly revision: string; readonly percent: number | string }[] | undefined,
): Promise<void> {
  const targets = given?.map(({ revision, percent }) => ({ revision, percent: Number(percent) }));
  await change(ports, scope, name, (service) => {
    const named = service.revisions.map(
      (revision) => [services.namesOfRevision(service, revision).name, revision.generation] as const,
    );
    return { service: { ...service, traffic: traffic.divided(targets, new Map(named)) }, gone: [] };
  });
}

/** Returns the revision with a suffix such as `00001`. Throws `not-found`. */
export function needRevision(service: Service, suffix: string): ServiceRevision {
  const generation = toGeneration(suffix);
  const found = service.revisions.find((revision) => revision.generation === generation);
  if (found !== undefined) return found;
  throw new ServiceError('not-found', `not found: the service '${service.name}' has no revision '${suffix}'`);
}

/** Deletes a revision. Throws `refused` (500, rest-api reference, 11.4) if it has traffic, `not-found`. */
export async function removeRevision(ports: Needs, scope: NamedScope, name: string, suffix: string): Promise<void> {
  await change(ports, scope, name, (service) => {
    const revision = needRevision(service, suffix);
    const percent = traffic.percentOf(service.traffic, revision.generation);
    const shown = services.namesOfRevision(service, revision).name;
    if (percent > 0) throw new ServiceError('refused', `revision ${shown} still has traffic assigned: ${percent}%`);
    const revisions = service.revisions.filter((one) => one !== revision);
    return { service: { ...service, revisions }, gone: [revision] };
  });
}

/**
 * Deletes a service with all its revisions, if it was neither changed nor called since it was read. Returns whether it
 * was deleted.
 */
export async function removeUnchanged(ports: Pick<Needs, 'table' | 'containers' | 'clock'>, service: Service) {
  const { id, change: at, called } = service;
  const removed = purgesOf(ports, service, service.revisions);
  const when = { equals: { id, change: at, called } };
  const deletion: Write = { do: 'delete', key: services.keyOf(service), when };
  const written = ports.table.write([deletion, ...removed.map(purges.toWrite)]).then(() => true);
  const isDeleted = await onConflict(written, () => false);
  if (isDeleted) await finish(ports, removed);
  return isDeleted;
}

/** Deletes a service with all its revisions. Has no effect when there is no such service (rest-api reference, 11.4). */
export async function remove(ports: Needs, scope: Scope, name: string, version?: string): Promise<void> {
  const first = await services.find(ports, scope, name, version);
  for (let found = first; found !== undefined; ) {
    if (await removeUnchanged(ports, found)) return;
    const now = await services.find(ports, scope, name, version);
    found = now?.id === found.id ? now : undefined;
  }
}
