import { dateOf, type Partition, runOrder, runs, timeText } from '../key-parts.ts';
import {
  type Home,
  type Partitions,
  partitionOf,
  partitionsIn,
  partitionsOfDay,
  spreadKey,
  spreadKeys,
} from '../spread.ts';

const openKey = ({ id }: Home): string => `${id}#worker-tasks`;
const endedKey = ({ id }: Home, ms: number): string => `${id}#worker-tasks-ended#${dateOf(ms)}`;

const inIndex = (pks: readonly string[]): Partitions => ({ table: 'runs', index: 'by-namespace', pks, order: 'order' });

/**
 * The open tasks for workers of a namespace, by queue, spread over its partitions. They are runs, and share the index
 * `by-namespace` with the others: a task enters its queue, moves in it and leaves it by the commits of its run.
 */
export const openTasks = (home: Home): Partitions => inIndex(spreadKeys(openKey(home), partitionsIn(home.spread)));

/** The partition key of an open task: it has the same one as long as it is open. `created`: milliseconds since 1970. */
export const openTask = (home: Home, created: number, id: string): string =>
  spreadKey(openKey(home), partitionOf(home, created, id));

/** The tasks of the day of a time that workers have ended, by the time of their ends: the reconciler reads them. */
export const endedTasks = (home: Home, ms: number): Partitions =>
  inIndex(spreadKeys(endedKey(home, ms), partitionsOfDay(home, ms)));

/** The partition key of a task that a worker has ended at a time, milliseconds since 1970. */
export const endedTask = (home: Home, ended: number, id: string): string =>
  spreadKey(endedKey(home, ended), partitionOf(home, ended, id));

/** The ended tasks of a namespace before the reconciler's cursor that it has not finished. */
export const unfinishedTasks = (namespaceId: string): Partition => runs(`open-worker-tasks#${namespaceId}`);

/** A task that any worker may take now, and one that none may take before a time: it is leased, or delayed. */
const READY = 'r';
const HELD = 'w';

const PRIORITY_DIGITS = 5;
const ZERO_PRIORITY = 50_000;
/** A priority as text that sorts the higher one first. */
export const priorityText = (priority: number): string =>
  String(ZERO_PRIORITY - priority).padStart(PRIORITY_DIGITS, '0');

/** The values that order a task in its queue. Times are milliseconds since 1970. */
export interface TaskOrder {
  readonly queue: string;
  readonly priority: number;
  readonly created: number;
  /** When it may be taken next; undefined: at any time. */
  readonly heldUntil: number | undefined;
}

/** The sort key of an open task: ready tasks are ordered by priority and age, held ones by the end of the hold. */
export function taskOrder({ queue, priority, created, heldUntil }: TaskOrder, id: string): string {
  const order = `${priorityText(priority)}#${runOrder(created, id)}`;
  return heldUntil === undefined ? `${queue}#${READY}#${order}` : `${queue}#${HELD}#${timeText(heldUntil)}#${order}`;
}

/** The values of a task in a sort key of `taskOrder`. */
export interface OrderedTask {
  readonly queue: string;
  /** Sorts by priority and age. */
  readonly rank: string;
  readonly isReady: boolean;
}

/** Reads a sort key of `taskOrder`. */
export function fromTaskOrder(order: string): OrderedTask {
  const [queue = '', kind = '', ...rest] = order.split('#');
  const isReady = kind === READY;
  return { queue, isReady, rank: rest.slice(isReady ? 0 : 1).join('#') };
}

/** The tasks of a queue that are ready, the first one first. */
export const readyTasks = (home: Home, queue: string) => ({ ...openTasks(home), prefix: `${queue}#${READY}#` });

/** The tasks of a queue that are held. */
export const heldTasks = (home: Home, queue: string) => ({ ...openTasks(home), prefix: `${queue}#${HELD}#` });

// A digit is less than a tilde: tasks of the millisecond itself are included.
const heldTo = (queue: string, ms: number): string => `${queue}#${HELD}#${timeText(ms)}~`;

/** The tasks of a queue that were held until a time up to `ms`. */
export const releasedTasks = (home: Home, queue: string, ms: number) => ({
  ...openTasks(home),
  from: `${queue}#${HELD}#`,
  to: heldTo(queue, ms),
});

/** The tasks of a queue that are ready, and after them those that were held until a time up to `ms`. */
export const takeableTasks = (home: Home, queue: string, ms: number) => ({
  ...openTasks(home),
  from: `${queue}#${READY}#`,
  to: heldTo(queue, ms),
});

/** A sort key after all tasks of a queue and before those of any other queue that follows it. */
export const afterQueue = (queue: string): string => `${queue}$`;
