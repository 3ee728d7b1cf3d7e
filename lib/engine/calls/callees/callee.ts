import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import type { CallScope, WantedFile, WorkerCallee } from '../../../domain/runs/calls.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import { type AwaitingTask, type CallKey, type CallMode, callerWith, type Parent } from '../../../domain/runs/waits.ts';
import type { SecretReader } from '../../evaluation/secrets.ts';
import type { RunnerPorts } from '../../ports.ts';
import { childId } from '../../run/child-ids.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import type { Startable } from '../../run/new-run.ts';
import { retryPolicyOf } from '../../run/retry-decisions.ts';

/** How the task of a worker is offered. */
export type TaskTerms = Pick<WorkerCallee, 'queue' | 'priority' | 'leaseMs'>;

/** The input and the files that a call passes to its callee. */
export interface CallInput {
  /** JSON. */
  readonly input: Uint8Array;
  readonly files: readonly WantedFile[];
  /** How long the call may take, milliseconds, if the input determines it. */
  readonly ms?: number;
  /** For the call of a native function: a state machine of its own makes it, unless it is made in place. */
  readonly byMachine?: true;
  /** For the call of a subflow whose path is computed: the workflow that this call runs. */
  readonly chosen?: Startable;
  /** For the call of a worker. */
  readonly task?: TaskTerms;
  /** Absent: the function has no limits. */
  readonly limits?: CallScope;
}

/** The state that calls. */
export interface Caller {
  /** The calling run as it stands: its id, step, depth and thread variables. */
  readonly run: Run;
  readonly state: string;
  /** When the state stops waiting, milliseconds since 1970. */
  readonly wake: number;
  /** The state makes one call for each element of a list. */
  readonly isLoop: boolean;
  /** The part of its wait's `origin` in the ids of its calls. */
  readonly origin: number;
  readonly mode: CallMode;
}

/** A call to be made. */
export interface PreparedCall {
  readonly callee: Callee;
  readonly caller: Caller;
  readonly key: CallKey;
  readonly input: CallInput;
  /** The task of a machine that waits for the child; none by default. */
  readonly task?: AwaitingTask;
}

/** The callee of an action: one shape for all kinds, one file a kind. */
export interface Callee {
  readonly kind: 'subflow' | 'container' | 'native' | 'http' | 'lambda' | 'mail' | 'worker';
  readonly action: ActionPlan;
  /** Its calls may take too long for a request that does not wait for its run: they send requests, or make calls. */
  readonly takesLong: boolean;
  /** Its first attempts are made in place, and not stored if they succeed. */
  readonly isNative: boolean;
  /** Evaluates the input of a call over the data of the action. Throws StateError. */
  readonly prepare: (data: unknown, readSecrets: SecretReader) => Promise<CallInput>;
  /** The child of a call, not stored yet. Throws the catchable `limits.*` and `input.invalid` for a subflow. */
  readonly newChild: (ports: RunnerPorts, call: PreparedCall) => Promise<Run>;
  /**
   * Begins a child within the step of its caller: as far as it comes without waiting, else it is left for a machine.
   * Returns the child. `signal` aborts a call that is made in place; it stays pending then.
   */
  readonly begin: (unit: StepUnit, child: Run, input: CallInput, signal: AbortSignal) => Promise<Run>;
  /** Whether a child with this input is of the function or workflow that this callee is now. */
  readonly isOf: (child: Run, input: CallInput) => boolean;
}

/** Stands for no task: the end of the child ends none. */
export const NO_TASK: AwaitingTask = { token: '' };

/** The id of the child of a call. */
export const idOfCall = ({ caller: { run, origin }, key }: PreparedCall): string => childId(run, origin, key);

/** The idempotency key of a call: the id of its first attempt. */
export const keyOfCall = ({ caller: { run, origin }, key: { i } }: PreparedCall): string =>
  childId(run, origin, { i, k: 0 });

/** The caller as a child stores it. */
export function parentOf({ callee, caller: { run, wake, mode }, key: { i, k }, task = NO_TASK }: PreparedCall): Parent {
  const retries = retryPolicyOf(callee.action);
  const caller = { id: run.id, i, k, mode, until: wake, token: '' };
  return { ...callerWith(caller, task), ...(retries === undefined ? {} : { retries }) };
}
