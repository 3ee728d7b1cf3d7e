import type { Containers } from '../../ports/containers.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Table } from '../../ports/table.ts';
import { needRevision } from './changes.ts';
import { type ContainerNeeds, standingsOf } from './containers.ts';
import { generationText } from './names.ts';
import * as records from './records.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { maxScaleOf } from './settings.ts';

type Needs = ContainerNeeds & { readonly settings: Pick<Settings, 'maxScale'> };

/** Which service: of those of a workflow one of a version, or the newest. */
export interface Chosen {
  readonly scope: Scope;
  readonly name: string;
  readonly version?: string;
}

/** Objects as they are at one moment, each by a name of its own. */
type Objects = ReadonlyMap<string, object>;

const open = (ports: Needs, { scope, name, version }: Chosen) => services.need(ports, scope, name, version);

/** All services of a scope (rest-api reference, 11.2). */
export async function list(ports: Needs, scope: Scope) {
  const all = await services.list(ports, scope);
  const standings = await standingsOf(ports, all);
  const functions = all.map((service) => records.toRecord(service, standings));
  return { config: { maxscale: maxScaleOf(ports) }, functions };
}

/** One service with its revisions. Throws `not-found`. */
export async function details(ports: Needs, chosen: Chosen) {
  const service = await open(ports, chosen);
  return records.toDetails(service, await standingsOf(ports, [service]), maxScaleOf(ports));
}

/** The revisions of a service, the newest first. Throws `not-found`. */
export async function revisions(ports: Needs, chosen: Chosen) {
  const service = await open(ports, chosen);
  const standings = await standingsOf(ports, [service]);
  return {
    name: service.name,
    config: { maxscale: maxScaleOf(ports) },
    revisions: service.revisions.map((revision) => records.toRevisionRecord(service, revision, standings)),
  };
}

/** What runs of a revision; nothing runs of one that is not there (rest-api reference, 11.5). */
export async function pods(ports: Needs, { scope, name, version }: Chosen, suffix: string) {
  const service = await services.find(ports, scope, name, version);
  const revision = service?.revisions.find(({ generation }) => generationText(generation) === suffix);
  if (service === undefined || revision === undefined) return { pods: [] };
  return { pods: records.toPods(service, revision, await standingsOf(ports, [service])) };
}

async function framesOf(ports: Needs, all: readonly Service[]): Promise<Objects> {
  const standings = await standingsOf(ports, all);
  return new Map(all.map((service) => [service.id, records.toServiceFrame(service, standings)]));
}

/** What frames tell of all services of a scope (rest-api reference, 11.6). */
export const servicesNow = async (ports: Needs, scope: Scope): Promise<Objects> =>
  framesOf(ports, await services.list(ports, scope));

/** The same of one service. Throws `not-found`. */
export const serviceNow = async (ports: Needs, chosen: Chosen): Promise<Objects> =>
  framesOf(ports, [await open(ports, chosen)]);

/** The same of the revisions of a service, or of the one of that generation. Throws `not-found`. */
export async function revisionsNow(ports: Needs, chosen: Chosen, suffix?: string): Promise<Objects> {
  const service = await open(ports, chosen);
  const shown = suffix === undefined ? service.revisions : [needRevision(service, suffix)];
  const standings = await standingsOf(ports, [service]);
  return new Map(
    shown.map((revision) => [
      `${service.id} ${revision.generation}`,
      { revision: records.toRevisionRecord(service, revision, standings) },
    ]),
  );
}

/** The same of what runs of a revision. */
export async function podsNow(ports: Needs, chosen: Chosen, suffix: string): Promise<Objects> {
  const now = await pods(ports, chosen, suffix);
  return new Map(now.pods.map((pod) => [pod.name, { pod }]));
}

/** Whether a pod runs for a service of one of these namespaces or of their workflows. */
export async function ownsPod(
  ports: { readonly table: Table; readonly containers: Containers },
  namespaceIds: readonly string[],
  pod: string,
): Promise<boolean> {
  for (const id of namespaceIds) {
    const ids = await services.containersIn(ports, id);
    const all = ids.length === 0 ? [] : await ports.containers.status(ids);
    if (all.some((status) => status?.pods.some(({ name }) => name === pod))) return true;
  }
  return false;
}
