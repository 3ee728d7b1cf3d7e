import type { ActionPlan, FunctionPlan } from '../../compiler/plan/plan.ts';
import { MAX_PRIORITY, QUEUE_PATTERN } from '../../compiler/plan/worker-tasks.ts';
import type { WorkerTask } from '../../domain/runs/waits.ts';
import { isObject, toJson } from '../../language/json.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import type { CallInput, TaskTerms } from '../containers/calls.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, internalFailure, type StateError } from '../evaluation/failures.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import { MAX_LEASE_MS } from './leases.ts';

/** The input of a task, and how it is offered. */
interface TaskInput {
  /** JSON. */
  readonly input: Uint8Array;
  readonly task: TaskTerms;
}

/** A function of workers, ready to be called. */
export interface Worker {
  readonly kind: 'worker';
  readonly action: ActionPlan;
  /** Evaluates the input and the terms of a task over the data of the action. Throws StateError. */
  readonly prepare: (data: unknown, readSecrets: SecretReader) => Promise<TaskInput>;
}

const DEFAULT_LEASE_MS = 5 * 60_000;

const invalidTask = (text: string): StateError => failure('worker.task', `the task is invalid: ${text}`);

function queueOf(value: unknown): string {
  if (typeof value === 'string' && QUEUE_PATTERN.test(value)) return value;
  throw invalidTask("'queue' is no name of 1 to 100 letters, digits, dots, dashes and underscores");
}

function leaseOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_LEASE_MS;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) throw invalidTask("'lease' is no duration such as PT5M");
  return Math.min(Math.max(addDuration(0, duration), 1000), MAX_LEASE_MS);
}

function priorityOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_PRIORITY) return value;
  throw invalidTask(`'priority' is no whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`);
}

function toTerms(value: unknown): TaskTerms {
  const { queue, lease, priority } = isObject(value) ? value : {};
  return { queue: queueOf(queue), priority: priorityOf(priority), leaseMs: leaseOf(lease) };
}

/** The callee of a worker function. */
export function openWorker({ task }: Extract<FunctionPlan, { readonly type: 'worker' }>, action: ActionPlan): Worker {
  const { input, secrets } = action;
  return {
    kind: 'worker',
    action,
    prepare: async (data, readSecrets) => {
      const terms = toTerms(await evaluate(task, data));
      const value =
        secrets.length === 0
          ? await evaluate(input, data)
          : await evaluateWithSecrets(input, data, await readSecrets(secrets));
      return { input: Buffer.from(toJson(value)), task: terms };
    },
  };
}

/** The task of a call whose input is evaluated; `key` is its idempotency key. */
export function newTask({ task }: CallInput, key: string): WorkerTask {
  if (task === undefined) throw internalFailure('the call of a worker has no task');
  return { ...task, key, taken: 0 };
}
