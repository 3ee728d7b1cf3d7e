import type { Clock } from '../../ports/clock.ts';
import type { Settings } from '../../ports/settings.ts';
import { ConflictError, type Write } from '../../ports/table.ts';
import { notFound, ServiceError } from '../errors.ts';
import * as purges from '../storage/purges.ts';
import { type ContainerNeeds, prepare } from './containers.ts';
import { needServiceName, toGeneration } from './names.ts';
import { aged, type ServiceRevision } from './revisions.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { toSettings, type Wish } from './settings.ts';
import * as traffic from './traffic.ts';

type Needs = ContainerNeeds & { readonly clock: Clock; readonly settings: Pick<Settings, 'maxScale'> };
type Named = Exclude<Scope, { readonly kind: 'workflow' }>;

/** How often a change is tried that others forestall: each time one of theirs is done, so all of many come through. */
const TRIES = 50;

/** What of a service's revisions is to be removed where they run. */
function purgesOf(ports: Pick<Needs, 'clock'>, service: Service, gone: readonly ServiceRevision[]): purges.Purge[] {
  const namespaceId = services.homeOf(service.scope);
  const ids = gone.map((revision) => services.namesOfRevision(service, revision).id);
  return ids.map((id) => purges.of(ports, { kind: 'container', id, namespaceId }));
}

/** Takes away what runs of revisions that are deleted, then the markers of that. */
async function finish({ table, containers }: Pick<Needs, 'table' | 'containers'>, gone: readonly purges.Purge[]) {
  await Promise.all(gone.map(({ id }) => containers.remove(id)));
  if (gone.length > 0) await table.write(gone.map(purges.toDeletion));
}

/** A service with a first revision that gets all traffic. */
export function newService(
  { clock }: { readonly clock: Clock },
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

/** Creates a service. Throws `invalid`, `exists`, and `not-found` for the namespace. */
export async function create(ports: Needs, scope: Named, name: string, wish: Wish): Promise<void> {
  needServiceName(scope.kind, name);
  const service = newService(ports, { scope, name, version: '' }, toSettings(ports, wish));
  const put: Write = { do: 'put', table: 'catalog', item: services.toItem(service), when: { absent: true } };
  await ports.table.write([put, ...services.guardsOf(scope)]).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
    throw error.failed.includes(0)
      ? new ServiceError('exists', `already exists: there is a service '${name}'; add a revision to it`)
      : notFound('namespace');
  });
  await prepare(ports, service, service.revisions);
}

/** What a service becomes, and which of its revisions go. */
interface Change {
  readonly service: Service;
  readonly gone: readonly ServiceRevision[];
}

/** Changes a service as it is at that moment: who is forestalled looks again. */
async function change(ports: Needs, scope: Scope, name: string, to: (service: Service) => Change): Promise<Service> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await services.need(ports, scope, name);
    const { service, gone } = to(before);
    const removed = purgesOf(ports, before, gone);
    const item = services.toItem({ ...service, change: before.change + 1 });
    const when = { equals: { id: before.id, change: before.change } };
    const written = await ports.table
      .write([{ do: 'put', table: 'catalog', item, when }, ...removed.map(purges.toWrite)])
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof ConflictError) return false;
        throw error;
      });
    if (!written) continue;
    await finish(ports, removed);
    return service;
  }
  throw new ServiceError('unavailable', `the service '${name}' was changed at this moment; try again`);
}

/**
 * Adds a revision that gets `trafficPercent` of the traffic; old ones without any are deleted when there are too many. Throws
 * `invalid`, `not-found`.
 */
export async function addRevision(
  ports: Needs,
  scope: Named,
  name: string,
  wish: Wish & { readonly trafficPercent: number | string },
): Promise<void> {
  const settings = toSettings(ports, wish);
  const percent = Number(wish.trafficPercent);
  const changed = await change(ports, scope, name, (service) => {
    const generation = service.last + 1;
    const revision: ServiceRevision = { ...settings, generation, created: ports.clock.now() };
    const shares = traffic.withNew(service.traffic, generation, percent);
    const { kept, old } = aged([revision, ...service.revisions], (one) => {
      return one.generation === generation || traffic.percentOf(shares, one.generation) > 0;
    });
    return { service: { ...service, revisions: kept, traffic: shares, last: generation }, gone: old };
  });
  await prepare(ports, changed, [services.newestOf(changed)]);
}

/** Divides the traffic of a service. Throws what `traffic.divided` throws, and `not-found`. */
export async function divideTraffic(
  ports: Needs,
  scope: Named,
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

/** Throws `not-found` when the service has no revision of that generation, `00001`. */
export function needRevision(service: Service, suffix: string): ServiceRevision {
  const generation = toGeneration(suffix);
  const found = service.revisions.find((revision) => revision.generation === generation);
  if (found !== undefined) return found;
  throw new ServiceError('not-found', `not found: the service '${service.name}' has no revision '${suffix}'`);
}

/** Deletes a revision. Throws `refused` (500, rest-api reference, 11.4) while it has traffic, `not-found`. */
export async function removeRevision(ports: Needs, scope: Named, name: string, suffix: string): Promise<void> {
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
 * Deletes a service with all its revisions if it still is as it was read, and was not called since. False: it is not.
 */
export async function removeUnchanged(ports: Pick<Needs, 'table' | 'containers' | 'clock'>, service: Service) {
  const { id, change: at, called } = service;
  const removed = purgesOf(ports, service, service.revisions);
  const when = { equals: { id, change: at, called } };
  try {
    await ports.table.write([{ do: 'delete', key: services.keyOf(service), when }, ...removed.map(purges.toWrite)]);
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
  await finish(ports, removed);
  return true;
}

/** Deletes a service with all its revisions; one that is not there is fine (rest-api reference, 11.4). */
export async function remove(ports: Needs, scope: Scope, name: string, version?: string): Promise<void> {
  const first = await services.find(ports, scope, name, version);
  for (let found = first; found !== undefined; ) {
    if (await removeUnchanged(ports, found)) return;
    const now = await services.find(ports, scope, name, version);
    found = now?.id === found.id ? now : undefined;
  }
}
