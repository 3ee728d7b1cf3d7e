import { CONTAINER_CALL } from '../../compiler/emit/container-call.ts';
import { LAMBDA_CALL } from '../../compiler/emit/lambda-call.ts';
import { servesAction } from '../../compiler/plan/native-images.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { Parent, ServiceCall, WantedFile, WorkerTask } from '../../domain/runs/waits.ts';
import { ContainerServiceError, openService, type ServicePlan } from '../../domain/services/resolution.ts';
import type { Executions } from '../../ports/executions.ts';
import { plainFailure } from '../evaluation/failures.ts';
import type { ExecutionHandle } from '../machines/executions.ts';
import { type Native, openImage } from '../native/callees.ts';
import type { RunnerPorts } from '../ports.ts';
import { blankRun } from '../run/new-run.ts';

/** A function that is a container, ready to be called. */
export interface Service {
  readonly kind: 'service';
  readonly action: ActionPlan;
  /** The revision that serves a call: its id in the port `Containers`. The same call gets the same revision. */
  readonly revisionFor: (callId: string) => Promise<string>;
}

/**
 * Finds the container that a function calls; its traffic is divided call by call. For a service of the namespace or of the
 * installation whose image Weft serves itself, it is a native function. Throws an uncatchable failure with a message for
 * the user when there is no such service, or no container can run.
 */
export async function openContainer(
  ports: RunnerPorts,
  caller: Run,
  plan: ServicePlan,
  action: ActionPlan,
): Promise<Service | Native> {
  const uncallable = (why: string) => plainFailure(`the function '${action.function}' cannot be called: ${why}`);
  const needContainers = async (): Promise<void> => {
    const problem = await ports.containers.problem();
    if (problem !== undefined) throw uncallable(problem);
  };
  const isOwn = plan.type === 'knative-workflow';
  // To open the service of a workflow creates it, which is of no use where no container can run.
  if (isOwn) await needContainers();
  const { namespaceId, namespace, workflowId, path, revision } = caller;
  const wanted = {
    namespace: { id: namespaceId, name: namespace },
    workflow: { id: workflowId, path, revision },
    name: action.function,
    plan,
  };
  const toFailure = (error: unknown): never => {
    throw error instanceof ContainerServiceError ? uncallable(error.message) : error;
  };
  const opened = await openService(ports, wanted).catch(toFailure);
  if (!isOwn) {
    const { native } = opened;
    const isNative = native !== undefined && caller.settings.avoidsNative !== true && servesAction(native, action);
    if (isNative) return openImage(native, action);
    await needContainers();
  }
  return {
    kind: 'service',
    action,
    revisionFor: async (callId) => (await opened.revisionFor(callId).catch(toFailure)).id,
  };
}

/** The state that calls a container. */
export interface ServiceCaller {
  /** The calling run as it stands: its id, step, depth and thread variables. */
  readonly run: Run;
  readonly state: string;
  /** When the state stops waiting, milliseconds since 1970. */
  readonly wake: number;
  /** The state makes one call for each element of a list. */
  readonly isLoop: boolean;
}

/** How the task of a worker is offered. */
export type TaskTerms = Pick<WorkerTask, 'queue' | 'priority' | 'leaseMs'>;

/** The input and the files that a call passes to its callee. */
export interface CallInput {
  /** JSON. */
  readonly input: Uint8Array;
  readonly files: readonly WantedFile[];
  /** How long the call may take, milliseconds, if the input determines it. */
  readonly ms?: number;
  /** For the call of a native function: a state machine of its own makes it, unless it is made in place. */
  readonly byMachine?: true;
  /** For the call of a worker. */
  readonly task?: TaskTerms;
}

interface NewCall {
  /** The id of the child, which is the id of the action. */
  readonly id: string;
  /** The revision of the service: its id in the port `Containers`; or the native function; or the task of a worker. */
  readonly target: Pick<ServiceCall, 'revision' | 'native' | 'worker'>;
  readonly caller: ServiceCaller;
  readonly parent: Parent;
  readonly input: CallInput;
}

/** The last instant that has a date of four-digit years, milliseconds since 1970. */
const MAX_TIME = Date.UTC(9999, 11, 31);

/**
 * A call of a container, a native function or a worker as a child, not stored yet. It has no workflow, and is in no list, log or
 * metric.
 */
export function newServiceCall(
  ports: RunnerPorts,
  { id, target, caller: { run, state, wake, isLoop }, parent, input: { input, files } }: NewCall,
): Run {
  const service: ServiceCall = {
    ...target,
    caller: run.id,
    workflow: { id: run.workflowId, path: run.path },
    state,
    step: run.step,
    ...(isLoop ? { iterator: parent.i } : {}),
    until: Math.min(wake, MAX_TIME),
    files,
  };
  return {
    ...blankRun(ports.clock.now()),
    id,
    namespaceId: run.namespaceId,
    namespace: run.namespace,
    workflowId: '',
    path: run.path,
    revision: '',
    as: run.path,
    invoker: `instance:${run.id}`,
    data: {},
    input,
    depth: run.depth + 1,
    threads: run.threads,
    parent,
    service,
  };
}

/** The machines that carry calls of their own, by their names. */
const DEFINITIONS = { 'service-call': CONTAINER_CALL, 'lambda-call': LAMBDA_CALL } as const;

/** The handles of these machines, by the port that defined them. */
const machines = new WeakMap<Executions, Map<string, Promise<string>>>();

function defineMachine(executions: Executions, name: keyof typeof DEFINITIONS): Promise<string> {
  const handles = machines.get(executions) ?? new Map<string, Promise<string>>();
  machines.set(executions, handles);
  const known = handles.get(name);
  if (known !== undefined) return known;
  const definition = JSON.stringify(DEFINITIONS[name]);
  const defined = executions.define({ name, definition, tier: 'STANDARD' });
  handles.set(name, defined);
  defined.catch(() => handles.delete(name));
  return defined;
}

/** The execution of a call that nothing waits for, or that its own machine makes. */
export async function serviceExecution(
  { executions }: Pick<RunnerPorts, 'executions'>,
  { service }: Pick<Run, 'service'>,
): Promise<ExecutionHandle> {
  const name = service?.native?.byMachine === true ? 'lambda-call' : 'service-call';
  return { machine: await defineMachine(executions, name), executions: 1, express: false, entryWait: 0 };
}
