import { type ContainerStatus, type ContainerStatuses, statusOf } from './containers.ts';
import type { ServiceRevision } from './revisions.ts';
import { newestOf, type Service } from './services.ts';
import { percentOf } from './traffic.ts';

export type Truth = 'True' | 'False' | 'Unknown';

/** A condition of a service or revision (rest-api reference, 11.2). */
export interface Condition {
  readonly name: string;
  readonly status: Truth;
  readonly reason: string;
  readonly message: string;
}

type Verdict = Omit<Condition, 'name'>;

const READY: Verdict = { status: 'True', reason: '', message: '' };
const NO_TRAFFIC: Verdict = {
  status: 'False',
  reason: 'NoTraffic',
  message: 'The target is not receiving traffic.',
};

const VERDICTS: Record<ContainerStatus['state'], (status: ContainerStatus) => Verdict> = {
  ready: () => READY,
  preparing: ({ reason, message }) => ({ status: 'Unknown', reason: reason || 'Preparing', message }),
  failed: ({ reason, message }) => ({ status: 'False', reason: reason || 'Failed', message }),
};

const verdictOf = (status: ContainerStatus): Verdict => VERDICTS[status.state](status);

const RANK: Record<Truth, number> = { False: 0, Unknown: 1, True: 2 };
const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((found, verdict) => (RANK[verdict.status] < RANK[found.status] ? verdict : found), READY);

/** The conditions of a revision. `Active` is false also for a revision without traffic. */
export function conditionsOfRevision(
  service: Service,
  revision: ServiceRevision,
  status: ContainerStatus,
): Condition[] {
  const verdict = verdictOf(status);
  const active = percentOf(service.traffic, revision.generation) > 0 ? verdict : NO_TRAFFIC;
  return [
    { name: 'Active', ...active },
    { name: 'ContainerHealthy', ...verdict },
    { name: 'Ready', ...verdict },
    { name: 'ResourcesAvailable', ...verdict },
  ];
}

/** The value of the condition `Ready` of a revision. */
export const statusOfRevision = (status: ContainerStatus): Truth => verdictOf(status).status;

/** The conditions of a service: of its newest revision, and of the revisions with traffic. */
export function conditionsOfService(service: Service, statuses: ContainerStatuses): Condition[] {
  const verdictIn = (revision: ServiceRevision) => verdictOf(statusOf(statuses, service, revision));
  const configured = verdictIn(newestOf(service));
  const called = service.revisions.filter(({ generation }) => percentOf(service.traffic, generation) > 0);
  const routed = worst(called.map(verdictIn));
  return [
    { name: 'ConfigurationsReady', ...configured },
    { name: 'Ready', ...worst([configured, routed]) },
    { name: 'RoutesReady', ...routed },
  ];
}
