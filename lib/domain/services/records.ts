import { SECOND_MS } from '../../time/units.ts';
import { shownCommand } from './commands.ts';
import { type Condition, conditionsOfRevision, conditionsOfService, statusOfRevision } from './conditions.ts';
import { type ContainerStatuses, statusOf } from './containers.ts';
import { pathLabel } from './names.ts';
import type { ServiceRevision } from './revisions.ts';
import { nameOf, namesOfRevision, newestOf, type Service } from './services.ts';
import { percentOf } from './traffic.ts';

const readiness = (conditions: readonly Condition[]) =>
  conditions.find(({ name }) => name === 'Ready')?.status ?? 'Unknown';

/** The wire form of a service in lists: that of its newest revision (rest-api reference, 11.2). */
export function toRecord(service: Service, statuses: ContainerStatuses) {
  const { scope, name, version } = service;
  const { image, command, size, minScale, environment } = newestOf(service);
  const [id, namespaceName] = scope.kind === 'global' ? ['', ''] : [scope.namespace.id, scope.namespace.name];
  const [workflow, path] = scope.kind === 'workflow' ? [scope.workflow.id, pathLabel(scope.workflow.path)] : ['', ''];
  const conditions = conditionsOfService(service, statuses);
  return {
    info: {
      name,
      namespace: id,
      workflow,
      image,
      cmd: shownCommand(command),
      size,
      minScale,
      namespaceName,
      path,
      revision: version,
      envs: environment,
    },
    status: readiness(conditions),
    conditions,
    serviceName: nameOf(service),
  };
}

/** The frame of a service in streams (rest-api reference, 11.6). */
export function toServiceFrame(service: Service, statuses: ContainerStatuses) {
  const traffic = service.traffic.map(({ generation, percent }) => ({
    revisionName: namesOfRevision(service, { generation }).name,
    traffic: String(percent),
    generation: String(generation),
  }));
  return { function: toRecord(service, statuses), traffic };
}

/** The members that are neither empty nor zero. */
const filled = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '' && one !== 0)) as Partial<T>;

function toDetailedRevision(service: Service, revision: ServiceRevision, statuses: ContainerStatuses) {
  const { image, command, size, minScale, generation, created } = revision;
  const { name, suffix } = namesOfRevision(service, revision);
  const status = statusOf(statuses, service, revision);
  return {
    name,
    image,
    ...filled({ cmd: shownCommand(command), size, minScale }),
    generation,
    created: Math.floor(created / SECOND_MS),
    status: statusOfRevision(status),
    conditions: conditionsOfRevision(service, revision, status),
    ...filled({ traffic: percentOf(service.traffic, generation) }),
    revision: suffix,
  };
}

/** A service with its revisions: here numbers are JSON numbers, and empty members are absent (rest-api reference, 11.3). */
export function toDetails(service: Service, statuses: ContainerStatuses, maxScale: number) {
  const { scope, name } = service;
  return {
    name,
    ...(scope.kind === 'global' ? {} : { namespace: scope.namespace.name }),
    config: { maxscale: maxScale },
    revisions: service.revisions.map((revision) => toDetailedRevision(service, revision, statuses)),
    scope: scope.kind,
  };
}

/** The wire form of a revision in streams: 64-bit numbers are texts (rest-api reference, 11.6). */
export function toRevisionRecord(service: Service, revision: ServiceRevision, statuses: ContainerStatuses) {
  const { image, command, size, minScale, generation, created } = revision;
  const { name, suffix } = namesOfRevision(service, revision);
  const status = statusOf(statuses, service, revision);
  const running = status.pods.filter((pod) => pod.status === 'Running').length;
  const wanted = status.pods.filter((pod) => pod.status === 'Running' || pod.status === 'Pending').length;
  return {
    name,
    image,
    cmd: shownCommand(command),
    size,
    minScale,
    generation: String(generation),
    created: String(Math.floor(created / SECOND_MS)),
    status: statusOfRevision(status),
    conditions: conditionsOfRevision(service, revision, status),
    desiredReplicas: String(Math.max(minScale, wanted)),
    actualReplicas: String(running),
    rev: suffix,
  };
}

/** The wire form of the pods of a revision (rest-api reference, 11.5). */
export function toPods(service: Service, revision: ServiceRevision, statuses: ContainerStatuses) {
  const serviceRevision = namesOfRevision(service, revision).name;
  return statusOf(statuses, service, revision).pods.map(({ name, status }) => ({
    name,
    status,
    serviceName: nameOf(service),
    serviceRevision,
  }));
}
