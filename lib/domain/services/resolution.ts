import type { NativeImage } from '../../compiler/plan/native-images.ts';
import type { FunctionPlan } from '../../compiler/plan/plan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Write } from '../../ports/table.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { onConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { newService } from './changes.ts';
import { type ContainerNeeds, prepare } from './containers.ts';
import { versionOf } from './names.ts';
import { nativeImageOfService } from './natives.ts';
import type { ServiceRevision } from './revisions.ts';
import type { Scope, Service } from './services.ts';
import * as services from './services.ts';
import { toSettings } from './settings.ts';
import * as traffic from './traffic.ts';

type Needs = ContainerNeeds & { readonly clock: Clock; readonly settings: Pick<Settings, 'maxScale'> };

/** A function of a workflow that calls a container service. */
export type ServicePlan = Exclude<FunctionPlan, { readonly type: 'subflow' | 'http' | 'worker' | 'lambda' | 'mail' }>;
type OwnPlan = Extract<FunctionPlan, { readonly type: 'knative-workflow' }>;

/** The service that a function of a workflow calls. */
export interface ServiceTarget {
  readonly namespace: Pick<Namespace, 'id' | 'name'>;
  readonly workflow: { readonly id: string; readonly path: string; readonly revision: string };
  /** The id of the function in the workflow. */
  readonly name: string;
  readonly plan: ServicePlan;
}

/** A revision that can be called. */
export interface OpenedRevision {
  /** The id in the port of containers. */
  readonly id: string;
  /** The name that users see: `namespace-demo-fast-00002`. */
  readonly name: string;
}

/** A service that can be called any number of times. */
export interface OpenedService {
  /**
   * Returns the revision for a call, chosen by the traffic at the time when the service was opened; the same for the same
   * seed. A revision that failed, or is not known to the port, is prepared again. Throws ContainerServiceError.
   */
  revisionFor(seed: string): Promise<OpenedRevision>;
  /** The image by which Weft can serve its calls itself. */
  readonly native: NativeImage | undefined;
}

type Reason = 'missing' | 'invalid' | 'unable';

/**
 * The service of a function cannot be called: `missing`: it does not exist, or its workflow was deleted; `invalid`: its
 * definition is invalid; `unable`: no container can run here. The message is for the user.
 */
export class ContainerServiceError extends Error {
  override readonly name = 'ContainerServiceError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The time of the last call is stored at most this often. */
const CALL_PRECISION_MS = 15 * MINUTE_MS;

/** The version of the service that a function of a workflow defines. */
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

/** A service that a function of a workflow defines. */
interface OwnService {
  readonly scope: Extract<Scope, { readonly kind: 'workflow' }>;
  readonly name: string;
  readonly version: string;
}

/** Creates the service, unless another call did so meanwhile. */
async function make(ports: Needs, own: OwnService, { workflow }: ServiceTarget, plan: OwnPlan): Promise<Service> {
  const service = newService(ports, own, settingsOf(ports, plan));
  // A purge removes the revisions of a workflow before its services, so none is created for a deleted workflow.
  const guard: Write = { do: 'check', key: keys.revision(workflow.id, workflow.revision), when: { present: true } };
  const put: Write = { do: 'put', table: 'catalog', item: services.toItem(service), when: { absent: true } };
  const written = ports.table.write([put, guard]).then(() => service);
  return onConflict(written, async () => {
    const found = await services.find(ports, own.scope, own.name, own.version);
    if (found !== undefined) return found;
    throw new ContainerServiceError('missing', `the workflow '${workflow.path}' or its revision was deleted`);
  });
}

/** Returns the service that a workflow defines. It is created at its first call. */
async function ofWorkflow(ports: Needs, target: ServiceTarget, plan: OwnPlan): Promise<Service> {
  const { namespace, workflow, name } = target;
  const version = versionOfPlan(workflow.id, name, plan);
  const own: OwnService = { scope: { kind: 'workflow', namespace, workflow }, name, version };
  const service = (await services.find(ports, own.scope, name, version)) ?? (await make(ports, own, target, plan));
  const called = ports.clock.now();
  if (called - service.called < CALL_PRECISION_MS) return service;
  const when = { equals: { id: service.id } };
  const update: Write = { do: 'update', key: services.keyOf(service), set: { called }, when };
  // If the service was deleted meanwhile, it is created again, with the time of this call.
  return onConflict(
    ports.table.write([update]).then(() => service),
    () => ofWorkflow(ports, target, plan),
  );
}

async function named(ports: Needs, scope: Scope, name: string): Promise<Service> {
  const found = await services.find(ports, scope, name);
  if (found !== undefined) return found;
  const place = scope.kind === 'namespace' ? `the namespace '${scope.namespace.name}' has no` : 'there is no global';
  throw new ContainerServiceError('missing', `${place} service '${name}'; create it, then run the workflow again`);
}

function serviceOf(ports: Needs, target: ServiceTarget): Promise<Service> {
  const { plan, namespace } = target;
  if (plan.type === 'knative-workflow') return ofWorkflow(ports, target, plan);
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

/** Opens the service that a function calls. The status of each revision is read once. Throws ContainerServiceError. */
export async function openService(ports: Needs, target: ServiceTarget): Promise<OpenedService> {
  const service = await serviceOf(ports, target);
  const opened = new Map<ServiceRevision, Promise<OpenedRevision>>();
  return {
    native: nativeImageOfService(service),
    revisionFor: (seed) => {
      const revision = chooseRevision(service, seed);
      const known = opened.get(revision) ?? openRevision(ports, service, revision);
      opened.set(revision, known);
      return known;
    },
  };
}
