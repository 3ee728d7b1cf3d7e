import type { FlowControl } from '../../compiler/plan/concurrency.ts';
import { MAX_PRIORITY } from '../../compiler/plan/worker-tasks.ts';
import { ServiceError } from '../../domain/errors.ts';
import { inputData } from '../../domain/runs/run.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { StateError } from '../evaluation/failures.ts';
import { onAccountOf } from '../evaluation/tenants.ts';

const MAX_KEY_LENGTH = 1024;

/** The data over which the fields are evaluated: a run that repeats another one from a state has other data. */
const dataOf = ({ step, data, input }: runs.Run): unknown => (step === 0 ? data : inputData(input));

async function evaluateField(name: string, query: unknown, { namespaceId }: runs.Run, data: unknown): Promise<unknown> {
  try {
    return await onAccountOf({ id: namespaceId }, () => evaluate(query, data));
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new ServiceError('malformed', `${name} of the workflow: ${error.message}`);
  }
}

/**
 * The value of the key of a field for a run, as text; empty without a key. `data`: what it is evaluated over; by default the input.
 * Throws `malformed` for a query that fails, or a value too long.
 */
export async function keyOf(
  field: string,
  query: unknown,
  run: runs.Run,
  data: unknown = dataOf(run),
): Promise<string> {
  if (query === undefined) return '';
  const name = `${field}.key`;
  const value = await evaluateField(name, query, run, data);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MAX_KEY_LENGTH) return text;
  throw new ServiceError('malformed', `${name} of the workflow: has more than ${MAX_KEY_LENGTH} characters`);
}

/** The priority of a run in the queue. Throws `malformed` for a query that fails, or has another result than a whole number. */
export async function priorityOf({ priority }: FlowControl, run: runs.Run): Promise<number> {
  if (priority === undefined) return 0;
  const value = await evaluateField('priority', priority, run, dataOf(run));
  if (Number.isInteger(value) && Math.abs(Number(value)) <= MAX_PRIORITY) return Number(value);
  const rule = `must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`;
  throw new ServiceError('malformed', `priority of the workflow: ${rule}`);
}
