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

type ConditionState = Omit<Condition, 'name'>;

const READY: ConditionState = { status: 'True', reason: '', message: '' };
const NO_TRAFFIC: ConditionState = {
  status: 'False',
  reason: 'NoTraffic',
  message: 'The target is not receiving traffic.',
};

const STATES: Record<ContainerStatus['state'], (status: ContainerStatus) => ConditionState> = {
  ready: ({ reason, message }) => ({ status: 'True', reason, message }),
  preparing: ({ reason, message }) => ({ status: 'Unknown', reason: reason || 'Preparing', message }),
  failed: ({ reason, message }) => ({ status: 'False', reason: reason || 'Failed', message }),
};

const stateOf = (status: ContainerStatus): ConditionState => STATES[status.state](status);

const RANK: Record<Truth, number> = { False: 0, Unknown: 1, True: 2 };
const worst = (states: readonly ConditionState[]): ConditionState =>
  states.reduce((found, state) => (RANK[state.status] < RANK[found.status] ? state : found), states[0] ?? READY);

/** The conditions of a revision. `Active` is false also for a revision without traffic. */
export function conditionsOfRevision(
  service: Service,
  revision: ServiceRevision,
  status: ContainerStatus,
): Condition[] {
  const state = stateOf(status);
  const active = percentOf(service.traffic, revision.generation) > 0 ? state : NO_TRAFFIC;
  return [
    { name: 'Active', ...active },
    { name: 'ContainerHealthy', ...state },
    { name: 'Ready', ...state },
    { name: 'ResourcesAvailable', ...state },
  ];
}

/** The value of the condition `Ready` of a revision. */
export const statusOfRevision = (status: ContainerStatus): Truth => stateOf(status).status;

/** The conditions of a service: of its newest revision, and of the revisions with traffic. */
export function conditionsOfService(service: Service, statuses: ContainerStatuses): Condition[] {
  const stateIn = (revision: ServiceRevision) => stateOf(statusOf(statuses, service, revision));
  const configured = stateIn(newestOf(service));
  const called = service.revisions.filter(({ generation }) => percentOf(service.traffic, generation) > 0);
  const routed = worst(called.map(stateIn));
  return [
    { name: 'ConfigurationsReady', ...configured },
    { name: 'Ready', ...worst([configured, routed]) },
    { name: 'RoutesReady', ...routed },
  ];
}
