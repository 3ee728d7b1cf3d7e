import { type Standing, type Standings, standingOf } from './containers.ts';
import type { ServiceRevision } from './revisions.ts';
import { newestOf, type Service } from './services.ts';
import { percentOf } from './traffic.ts';

export type Truth = 'True' | 'False' | 'Unknown';

/** One thing that is so, not so, or not known yet (rest-api reference, 11.2). */
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

const VERDICTS: Record<Standing['state'], (standing: Standing) => Verdict> = {
  ready: () => READY,
  preparing: ({ reason, message }) => ({ status: 'Unknown', reason: reason || 'Preparing', message }),
  failed: ({ reason, message }) => ({ status: 'False', reason: reason || 'Failed', message }),
};

const verdictOf = (standing: Standing): Verdict => VERDICTS[standing.state](standing);

const RANK: Record<Truth, number> = { False: 0, Unknown: 1, True: 2 };
const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((found, verdict) => (RANK[verdict.status] < RANK[found.status] ? verdict : found), READY);

/** How one revision is: `Active` also tells whether calls go to it. */
export function conditionsOfRevision(service: Service, revision: ServiceRevision, standing: Standing): Condition[] {
  const verdict = verdictOf(standing);
  const active = percentOf(service.traffic, revision.generation) > 0 ? verdict : NO_TRAFFIC;
  return [
    { name: 'Active', ...active },
    { name: 'ContainerHealthy', ...verdict },
    { name: 'Ready', ...verdict },
    { name: 'ResourcesAvailable', ...verdict },
  ];
}

export const statusOfRevision = (standing: Standing): Truth => verdictOf(standing).status;

/** How a service is: what was configured last, and what calls go to. */
export function conditionsOfService(service: Service, standings: Standings): Condition[] {
  const verdictIn = (revision: ServiceRevision) => verdictOf(standingOf(standings, service, revision));
  const configured = verdictIn(newestOf(service));
  const called = service.revisions.filter(({ generation }) => percentOf(service.traffic, generation) > 0);
  const routed = worst(called.map(verdictIn));
  return [
    { name: 'ConfigurationsReady', ...configured },
    { name: 'Ready', ...worst([configured, routed]) },
    { name: 'RoutesReady', ...routed },
  ];
}
