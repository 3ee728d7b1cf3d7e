import { CONTAINER_CALL } from '../../compiler/emit/container-call.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { CallKey, Parent, ServiceCall, WantedFile } from '../../domain/runs/waits.ts';
import { openService, ServiceFailure, type ServicePlan } from '../../domain/services/resolution.ts';
import type { Executions } from '../../ports/executions.ts';
import { plainFailure } from '../evaluation/failures.ts';
import type { Carrier } from '../executions/machines.ts';
import type { RunnerPorts } from '../ports.ts';
import { blankRun } from '../run/new-run.ts';

/** A function that is a container, ready to be called. */
export interface Service {
  readonly kind: 'service';
  readonly action: ActionPlan;
  /** The revision that a call takes, by its id of the port of containers; the same call takes the same. */
  readonly revisionFor: (callId: string) => Promise<string>;
}

/**
 * Finds the container that a function calls; traffic is divided call by call. Throws a failure that is not to be caught, in words for the user, where
 * there is no such service, or nothing that runs containers.
 */
export async function openContainer(
  ports: RunnerPorts,
  caller: Run,
  plan: ServicePlan,
  action: ActionPlan,
): Promise<Service> {
  const problem = await ports.containers.problem();
  if (problem !== undefined) throw plainFailure(`the function '${action.function}' cannot be called: ${problem}`);
  const { namespaceId, namespace, workflowId, path, revision } = caller;
  const wanted = {
    namespace: { id: namespaceId, name: namespace },
    workflow: { id: workflowId, path, revision },
    name: action.function,
    plan,
  };
  const refuse = (error: unknown): never => {
    if (!(error instanceof ServiceFailure)) throw error;
    throw plainFailure(`the function '${action.function}' cannot be called: ${error.message}`);
  };
  const opened = await openService(ports, wanted).catch(refuse);
  return {
    kind: 'service',
    action,
    revisionFor: async (callId) => (await opened.revisionFor(callId).catch(refuse)).id,
  };
}

/** From where a call comes, and how long it is waited for. */
export interface ServiceCalling {
  readonly caller: Run;
  readonly state: string;
  /** When it stops waiting, milliseconds since 1970. */
  readonly wake: number;
  /** The state goes over elements. */
  readonly isLoop: boolean;
}

export interface ServiceGiven {
  readonly input: Uint8Array;
  readonly files: readonly WantedFile[];
}

/** The last instant that can be told as a date. */
const LATEST = Date.UTC(9999, 11, 31);

/** The call as a child, not stored yet. It is nobody's run: no list, no log and no count knows of it. */
export async function newServiceCall(
  ports: RunnerPorts,
  { revisionFor }: Service,
  { caller, state, wake, isLoop }: ServiceCalling,
  { i }: CallKey,
  { input, files }: ServiceGiven,
  place: { readonly id: string; readonly origin: number; readonly parent: Parent },
): Promise<Run> {
  const service: ServiceCall = {
    revision: await revisionFor(place.id),
    caller: caller.id,
    workflow: { id: caller.workflowId, path: caller.path },
    state,
    step: caller.step,
    ...(isLoop ? { iterator: i } : {}),
    until: Math.min(wake, LATEST),
    files,
  };
  return {
    ...blankRun(ports.clock.now()),
    id: place.id,
    namespaceId: caller.namespaceId,
    namespace: caller.namespace,
    workflowId: '',
    path: caller.path,
    revision: '',
    as: caller.path,
    invoker: `instance:${caller.id}`,
    updated: place.origin,
    data: {},
    input,
    depth: caller.depth + 1,
    threads: caller.threads,
    parent: place.parent,
    service,
  };
}

/** The machine of calls that nobody waits for, by who runs it: it is the same for all of them. */
const machines = new WeakMap<Executions, Promise<string>>();

async function defineMachine(executions: Executions): Promise<string> {
  const definition = JSON.stringify(CONTAINER_CALL);
  const known = machines.get(executions);
  if (known !== undefined) return known;
  const defined = executions.define({ name: 'service-call', definition, tier: 'STANDARD' });
  machines.set(executions, defined);
  defined.catch(() => machines.delete(executions));
  return defined;
}

/** Who carries a call that nobody waits for. */
export async function serviceCarrier({ executions }: Pick<RunnerPorts, 'executions'>): Promise<Carrier> {
  return { machine: await defineMachine(executions), executions: 1, brief: false };
}
