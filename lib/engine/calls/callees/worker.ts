import type { ActionPlan, FunctionPlan } from '../../../compiler/plan/plan.ts';
import { MAX_PRIORITY, QUEUE_PATTERN } from '../../../compiler/plan/worker-tasks.ts';
import { isTask, type Run } from '../../../domain/runs/runs.ts';
import { stepsSince } from '../../../domain/storage/spread.ts';
import { isObject } from '../../../language/json.ts';
import { addDuration, parseDuration } from '../../../time/durations.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure, internalFailure, type StateError } from '../../evaluation/failures.ts';
import type { RunnerPorts } from '../../ports.ts';
import { MAX_LEASE_MS } from '../../workers/leases.ts';
import { type Callee, keyOfCall, type PreparedCall, type TaskTerms } from './callee.ts';
import { evaluateInput } from './inputs.ts';
import { newCall } from './stored-call.ts';

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

function newTask(ports: RunnerPorts, call: PreparedCall): Run {
  const { task } = call.input;
  if (task === undefined) throw internalFailure('the call of a worker has no task');
  const child = newCall(ports, call, { kind: 'worker', ...task, key: keyOfCall(call), taken: 0 });
  // Over how many partitions its queue is spread, as its caller knows it.
  const { spread } = call.caller.run.settings;
  if (spread === undefined) return child;
  return { ...child, settings: { ...child.settings, spread: stepsSince(spread, child.created) } };
}

/** The callee of a worker function. */
export const openWorker = (
  { task }: Extract<FunctionPlan, { readonly type: 'worker' }>,
  action: ActionPlan,
): Callee => ({
  kind: 'worker',
  action,
  takesLong: false,
  isNative: false,
  prepare: async (data, readSecrets) => {
    const terms = toTerms(await evaluate(task, data));
    return { input: await evaluateInput(action, data, readSecrets), files: [], task: terms };
  },
  newChild: async (ports, call) => newTask(ports, call),
  // A worker gets the task when the machine offers it: the changes that it depends on are committed by then.
  begin: async (_unit, child) => child,
  isOf: (child, input) => isTask(child) && child.callee.queue === input.task?.queue,
});
