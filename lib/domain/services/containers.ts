import type { Containers, RevisionStatus } from '../../ports/containers.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Table } from '../../ports/table.ts';
import { credentialsFor } from '../credentials/registries.ts';
import { type ServiceRevision, toContainer } from './revisions.ts';
import { fromItem, keyOf, namesOfRevision, namingOf, type Service } from './services.ts';

/** What it takes to have containers run. */
export type ContainerNeeds = { readonly table: Table; readonly sealer: Sealer; readonly containers: Containers };

/** How a revision stands, as the port tells. */
export type Standing = Omit<RevisionStatus, 'id'>;

/** How revisions stand, by their ids of the port. */
export type Standings = ReadonlyMap<string, Standing>;

const PREPARING: Standing = { state: 'preparing', reason: '', message: '', pods: [] };
const unable = (message: string): Standing => ({ state: 'failed', reason: 'NoContainers', message, pods: [] });

async function begin(needs: ContainerNeeds, service: Service, revision: ServiceRevision): Promise<void> {
  const { scope, id } = service;
  const found = await credentialsFor(needs, scope.kind === 'global' ? scope.kind : scope.namespace, revision.image);
  const credentials = found.map(({ url, user, password }) => ({ url, user, token: password }));
  await needs.containers.prepare(toContainer({ id, naming: namingOf(service) }, revision, credentials));
}

/** What was deleted while it was prepared is not to run on. */
async function forgetDeleted(needs: ContainerNeeds, service: Service, begun: readonly ServiceRevision[]) {
  const [item] = await needs.table.get([keyOf(service)]);
  const now = item === undefined ? undefined : fromItem(item, service.scope);
  const kept = new Set(now?.id === service.id ? now.revisions.map(({ generation }) => generation) : []);
  const gone = begun.filter(({ generation }) => !kept.has(generation));
  await Promise.all(gone.map((revision) => needs.containers.remove(namesOfRevision(service, revision).id)));
}

/** Has revisions made ready to run. Where no container can run it does nothing: they are asked for again. */
export async function prepare(
  needs: ContainerNeeds,
  service: Service,
  revisions: readonly ServiceRevision[],
): Promise<void> {
  if (revisions.length === 0 || (await needs.containers.problem()) !== undefined) return;
  await Promise.all(revisions.map((revision) => begin(needs, service, revision)));
  await forgetDeleted(needs, service, revisions);
}

/**
 * How all revisions of the services stand. One that the port does not know was cut short on its way there, and is
 * prepared again.
 */
export async function standingsOf(needs: ContainerNeeds, services: readonly Service[]): Promise<Standings> {
  const all = services.flatMap((service) =>
    service.revisions.map((revision) => ({ service, revision, id: namesOfRevision(service, revision).id })),
  );
  // Nobody looks for an engine where there is nothing to run.
  if (all.length === 0) return new Map();
  const problem = await needs.containers.problem();
  if (problem !== undefined) return new Map(all.map(({ id }) => [id, unable(problem)]));
  const found = await needs.containers.status(all.map(({ id }) => id));
  const lost = new Set(all.filter((_, index) => found[index] === undefined).map(({ revision }) => revision));
  await Promise.all(
    services.map((service) =>
      prepare(
        needs,
        service,
        service.revisions.filter((revision) => lost.has(revision)),
      ),
    ),
  );
  return new Map(all.map(({ id }, index) => [id, found[index] ?? PREPARING]));
}

/** How one of its revisions stands. */
export const standingOf = (standings: Standings, service: Service, revision: ServiceRevision): Standing =>
  standings.get(namesOfRevision(service, revision).id) ?? PREPARING;
