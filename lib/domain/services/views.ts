import type { Ports } from '../../ports/ports.ts';
import type { Settings } from '../../ports/settings.ts';
import { needRevision } from './changes.ts';
import { type ContainerNeeds, statusesOf } from './containers.ts';
import { generationText } from './names.ts';
import * as records from './records.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { maxScaleOf } from './settings.ts';

type Needs = ContainerNeeds & { readonly settings: Pick<Settings, 'maxScale'> };

/** Identifies a service; without `version` it is the newest one of a workflow. */
export interface ServiceAddress {
  readonly scope: Scope;
  readonly name: string;
  readonly version?: string;
}

/** Frames of a stream by the ids of their objects. */
type Frames = ReadonlyMap<string, object>;

const open = (ports: Needs, { scope, name, version }: ServiceAddress) => services.need(ports, scope, name, version);

/** All services of a scope (rest-api reference, 11.2). */
export async function list(ports: Needs, scope: Scope) {
  const all = await services.list(ports, scope);
  const statuses = await statusesOf(ports, all);
  const functions = all.map((service) => records.toRecord(service, statuses));
  return { config: { maxscale: maxScaleOf(ports) }, functions };
}

/** One service with its revisions. Throws `not-found`. */
export async function details(ports: Needs, address: ServiceAddress) {
  const service = await open(ports, address);
  return records.toDetails(service, await statusesOf(ports, [service]), maxScaleOf(ports));
}

/** The revisions of a service, the newest first. Throws `not-found`. */
export async function revisions(ports: Needs, address: ServiceAddress) {
  const service = await open(ports, address);
  const statuses = await statusesOf(ports, [service]);
  return {
    name: service.name,
    config: { maxscale: maxScaleOf(ports) },
    revisions: service.revisions.map((revision) => records.toRevisionRecord(service, revision, statuses)),
  };
}

/** The pods of a revision; empty when there is no such revision (rest-api reference, 11.5). */
export async function pods(ports: Needs, { scope, name, version }: ServiceAddress, suffix: string) {
  const service = await services.find(ports, scope, name, version);
  const revision = service?.revisions.find(({ generation }) => generationText(generation) === suffix);
  if (service === undefined || revision === undefined) return { pods: [] };
  return { pods: records.toPods(service, revision, await statusesOf(ports, [service])) };
}

async function framesOf(ports: Needs, all: readonly Service[]): Promise<Frames> {
  const statuses = await statusesOf(ports, all);
  return new Map(all.map((service) => [service.id, records.toServiceFrame(service, statuses)]));
}

/** The frames of all services of a scope (rest-api reference, 11.6). */
export const servicesNow = async (ports: Needs, scope: Scope): Promise<Frames> =>
  framesOf(ports, await services.list(ports, scope));

/** The frame of one service. Throws `not-found`. */
export const serviceNow = async (ports: Needs, address: ServiceAddress): Promise<Frames> =>
  framesOf(ports, [await open(ports, address)]);

/** The frames of the revisions of a service, or of the one with a suffix. Throws `not-found`. */
export async function revisionsNow(ports: Needs, address: ServiceAddress, suffix?: string): Promise<Frames> {
  const service = await open(ports, address);
  const shown = suffix === undefined ? service.revisions : [needRevision(service, suffix)];
  const statuses = await statusesOf(ports, [service]);
  return new Map(
    shown.map((revision) => [
      `${service.id} ${revision.generation}`,
      { revision: records.toRevisionRecord(service, revision, statuses) },
    ]),
  );
}

/** The frames of the pods of a revision. */
export async function podsNow(ports: Needs, address: ServiceAddress, suffix: string): Promise<Frames> {
  const now = await pods(ports, address, suffix);
  return new Map(now.pods.map((pod) => [pod.name, { pod }]));
}

/** Whether a pod runs for a service of one of these namespaces, or of their workflows. */
export async function ownsPod(
  ports: Pick<Ports, 'table' | 'containers'>,
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
