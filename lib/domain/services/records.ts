import { shownCommand } from './commands.ts';
import { type Condition, conditionsOfRevision, conditionsOfService, statusOfRevision } from './conditions.ts';
import { type Standings, standingOf } from './containers.ts';
import { pathLabel } from './names.ts';
import type { ServiceRevision } from './revisions.ts';
import { nameOf, namesOfRevision, newestOf, type Service } from './services.ts';
import { percentOf } from './traffic.ts';

/** The wire forms of services (rest-api reference, 11). */

const MS_OF_SECOND = 1000;
const readiness = (conditions: readonly Condition[]) =>
  conditions.find(({ name }) => name === 'Ready')?.status ?? 'Unknown';

/** A service as lists show it, by its newest revision (rest-api reference, 11.2). */
export function toRecord(service: Service, standings: Standings) {
  const { scope, name, version } = service;
  const { image, command, size, minScale, environment } = newestOf(service);
  const [id, namespaceName] = scope.kind === 'global' ? ['', ''] : [scope.namespace.id, scope.namespace.name];
  const [workflow, path] = scope.kind === 'workflow' ? [scope.workflow.id, pathLabel(scope.workflow.path)] : ['', ''];
  const conditions = conditionsOfService(service, standings);
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

/** What a frame about a service tells (rest-api reference, 11.6). */
export function toServiceFrame(service: Service, standings: Standings) {
  const traffic = service.traffic.map(({ generation, percent }) => ({
    revisionName: namesOfRevision(service, { generation }).name,
    traffic: String(percent),
    generation: String(generation),
  }));
  return { function: toRecord(service, standings), traffic };
}

/** Without what is empty or zero. */
const filled = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '' && one !== 0)) as Partial<T>;

function toDetailedRevision(service: Service, revision: ServiceRevision, standings: Standings) {
  const { image, command, size, minScale, generation, created } = revision;
  const { name, suffix } = namesOfRevision(service, revision);
  const standing = standingOf(standings, service, revision);
  return {
    name,
    image,
    ...filled({ cmd: shownCommand(command), size, minScale }),
    generation,
    created: Math.floor(created / MS_OF_SECOND),
    status: statusOfRevision(standing),
    conditions: conditionsOfRevision(service, revision, standing),
    ...filled({ traffic: percentOf(service.traffic, generation) }),
    revision: suffix,
  };
}

/** A service with its revisions: numbers are numbers here, and what is empty is left out (rest-api reference, 11.3). */
export function toDetails(service: Service, standings: Standings, maxScale: number) {
  const { scope, name } = service;
  return {
    name,
    ...(scope.kind === 'global' ? {} : { namespace: scope.namespace.name }),
    config: { maxscale: maxScale },
    revisions: service.revisions.map((revision) => toDetailedRevision(service, revision, standings)),
    scope: scope.kind,
  };
}

/** A revision as streams show it: large numbers are text (rest-api reference, 11.6). */
export function toRevisionRecord(service: Service, revision: ServiceRevision, standings: Standings) {
  const { image, command, size, minScale, generation, created } = revision;
  const { name, suffix } = namesOfRevision(service, revision);
  const standing = standingOf(standings, service, revision);
  const running = standing.pods.filter(({ status }) => status === 'Running').length;
  const wanted = standing.pods.filter(({ status }) => status === 'Running' || status === 'Pending').length;
  return {
    name,
    image,
    cmd: shownCommand(command),
    size,
    minScale,
    generation: String(generation),
    created: String(Math.floor(created / MS_OF_SECOND)),
    status: statusOfRevision(standing),
    conditions: conditionsOfRevision(service, revision, standing),
    desiredReplicas: String(Math.max(minScale, wanted)),
    actualReplicas: String(running),
    rev: suffix,
  };
}

/** What runs of a revision (rest-api reference, 11.5). */
export function toPods(service: Service, revision: ServiceRevision, standings: Standings) {
  const serviceRevision = namesOfRevision(service, revision).name;
  return standingOf(standings, service, revision).pods.map(({ name, status }) => ({
    name,
    status,
    serviceName: nameOf(service),
    serviceRevision,
  }));
}
