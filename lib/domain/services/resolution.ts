import type { FunctionPlan } from '../../compiler/plan/plan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Settings } from '../../ports/settings.ts';
import { ConflictError, type Write } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import { newService } from './changes.ts';
import { type ContainerNeeds, prepare } from './containers.ts';
import { versionOf } from './names.ts';
import type { ServiceRevision } from './revisions.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { toSettings } from './settings.ts';
import * as traffic from './traffic.ts';

type Needs = ContainerNeeds & { readonly clock: Clock; readonly settings: Pick<Settings, 'maxScale'> };

/** A function that is a container, as the plan of a workflow has it. */
export type ServicePlan = Exclude<FunctionPlan, { readonly type: 'subflow' }>;
type OwnPlan = Extract<FunctionPlan, { readonly type: 'knative-workflow' }>;

/** Which service is to be called, and for whom. */
export interface Wanted {
  readonly namespace: Pick<Namespace, 'id' | 'name'>;
  readonly workflow: { readonly id: string; readonly path: string; readonly revision: string };
  /** The id of the function in the workflow. */
  readonly name: string;
  readonly plan: ServicePlan;
}

/** A revision to be called. */
export interface OpenedRevision {
  /** Its id of the port of containers. */
  readonly id: string;
  /** The name that users see: `namespace-demo-fast-00002`. */
  readonly name: string;
}

/** A service to be called, any number of times. */
export interface OpenedService {
  /**
   * The revision that a call takes, by the traffic as it was when the service was opened; the same seed takes the same.
   * It is on its way to be ready: one that failed or was lost is prepared again. Throws `ContainerServiceError`.
   */
  revisionFor(seed: string): Promise<OpenedRevision>;
}

type Reason = 'missing' | 'invalid' | 'unable';

/**
 * The service of a function cannot be called: `missing`: nobody created it, or its workflow was deleted; `invalid`:
 * what the function asks for is none; `unable`: no container can run here. The message is for the user.
 */
export class ContainerServiceError extends Error {
  override readonly name = 'ContainerServiceError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** When a service was called is written down at most so often, milliseconds. */
const NOTED_EVERY_MS = 15 * 60_000;

/** The version of the service that a function of a workflow asks for. */
export function versionOfPlan(workflowId: string, name: string, plan: OwnPlan): string {
  const { image, size, cmd, scale } = plan;
  const envs = Object.entries(plan.envs).sort(([a], [b]) => (a < b ? -1 : 1));
  return versionOf(workflowId, name, [image, size, cmd, scale, envs]);
}

function settingsOf(ports: Needs, { image, size, cmd, scale, envs }: OwnPlan) {
  try {
    return toSettings(ports, { image, size, cmd, minScale: scale, envs });
  } catch (error) {
    throw error instanceof ServiceError ? new ContainerServiceError('invalid', error.message) : error;
  }
}

async function make(ports: Needs, scope: Scope, wanted: Wanted, plan: OwnPlan, version: string): Promise<Service> {
  const { name, workflow } = wanted;
  const service = newService(ports, { scope, name, version }, settingsOf(ports, plan));
  // Its purge takes a workflow's revisions before its services.
  const guard: Write = { do: 'check', key: keys.revision(workflow.id, workflow.revision), when: { present: true } };
  const put: Write = { do: 'put', table: 'catalog', item: services.toItem(service), when: { absent: true } };
  try {
    await ports.table.write([put, guard]);
    return service;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const found = await services.find(ports, scope, name, version);
    if (found !== undefined) return found;
    throw new ContainerServiceError('missing', `the workflow '${workflow.path}' or its revision was deleted`);
  }
}

/** The service that a workflow defines itself, made when it is first called. */
async function ofWorkflow(ports: Needs, wanted: Wanted, plan: OwnPlan): Promise<Service> {
  const { namespace, workflow, name } = wanted;
  const scope: Scope = { kind: 'workflow', namespace, workflow };
  const version = versionOfPlan(workflow.id, name, plan);
  const service =
    (await services.find(ports, scope, name, version)) ?? (await make(ports, scope, wanted, plan, version));
  const called = ports.clock.now();
  if (called - service.called < NOTED_EVERY_MS) return service;
  const when = { equals: { id: service.id } };
  try {
    await ports.table.write([{ do: 'update', key: services.keyOf(service), set: { called }, when }]);
    return service;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    // It was taken away at this moment: it is made anew, with the time of this call.
    return ofWorkflow(ports, wanted, plan);
  }
}

async function named(ports: Needs, scope: Scope, name: string): Promise<Service> {
  const found = await services.find(ports, scope, name);
  if (found !== undefined) return found;
  const place = scope.kind === 'namespace' ? `the namespace '${scope.namespace.name}' has no` : 'there is no global';
  throw new ContainerServiceError('missing', `${place} service '${name}'; create it, then run the workflow again`);
}

function serviceOf(ports: Needs, wanted: Wanted): Promise<Service> {
  const { plan, namespace } = wanted;
  if (plan.type === 'knative-workflow') return ofWorkflow(ports, wanted, plan);
  const scope: Scope = plan.type === 'knative-global' ? services.GLOBAL : { kind: 'namespace', namespace };
  return named(ports, scope, plan.service);
}

function chooseRevision(service: Service, seed: string): ServiceRevision {
  const generation = traffic.choose(service.traffic, seed);
  return service.revisions.find((revision) => revision.generation === generation) ?? services.newestOf(service);
}

async function openRevision(ports: Needs, service: Service, revision: ServiceRevision): Promise<OpenedRevision> {
  const { id, name } = services.namesOfRevision(service, revision);
  const [status] = await ports.containers.status([id]);
  if (status !== undefined && status.state !== 'failed') return { id, name };
  const problem = await ports.containers.problem();
  if (problem !== undefined) throw new ContainerServiceError('unable', problem);
  await prepare(ports, service, [revision]);
  return { id, name };
}

/** The service that a function calls; each of its revisions is looked at once. Throws `ContainerServiceError`. */
export async function openService(ports: Needs, wanted: Wanted): Promise<OpenedService> {
  const service = await serviceOf(ports, wanted);
  const opened = new Map<ServiceRevision, Promise<OpenedRevision>>();
  return {
    revisionFor: (seed) => {
      const revision = chooseRevision(service, seed);
      const known = opened.get(revision) ?? openRevision(ports, service, revision);
      opened.set(revision, known);
      return known;
    },
  };
}
