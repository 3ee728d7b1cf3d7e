import { omitUndefined } from '../../../language/omit-undefined.ts';
import { isDuration } from '../../../time/durations.ts';
import { computed } from '../../decoding/computed.ts';
import { required } from '../../decoding/decoders.ts';
import type { Decoded } from '../../decoding/object.ts';
import { MAX_PRIORITY, QUEUE_PATTERN, type WorkerTaskPlan } from '../../plan/worker-tasks.ts';

const isQueue = (value: unknown): boolean => typeof value === 'string' && QUEUE_PATTERN.test(value);

const isPriority = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_PRIORITY);

/** The fields of a worker function. */
export const WORKER_FIELDS = {
  queue: required(
    computed(
      isQueue,
      'must be the name of a queue: letters, digits, dots, dashes and underscores, at most 100',
      'for example labelling',
    ),
  ),
  lease: computed(
    (value) => typeof value === 'string' && isDuration(value),
    'is not a ISO8601 string',
    'write it like PT5M',
  ),
  priority: computed(
    isPriority,
    `must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`,
    'tasks with a higher number are offered first; the default is 0',
  ),
};

/** The plan of the task of a worker function. */
export const toWorkerTask = ({ queue, lease, priority }: Decoded<typeof WORKER_FIELDS>): WorkerTaskPlan => ({
  queue,
  ...omitUndefined({ lease, priority }),
});
