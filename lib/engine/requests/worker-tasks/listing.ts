import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { depthOf, queuesOf, tasksOf } from '../../../domain/workers/queues.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { Ports } from '../../../ports/ports.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { toHolder } from '../../workers/leases.ts';
import type { Task } from '../../workers/offering.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** The tasks that one request lists. */
const MAX_TASKS = 100;

function toRecord({ id, created, callee, site: { caller, workflow, state, until } }: Task, now: number) {
  return {
    task: id,
    priority: callee.priority,
    createdAt: toTimestamp(created),
    until: toTimestamp(until),
    instance: caller,
    workflow: workflow.path,
    state,
    ...toHolder(callee, now),
  };
}

/** The queues of a namespace that have open tasks, each with its depth. */
export async function listQueues(ports: Needs, namespace: Namespace) {
  const names = await queuesOf(ports, namespace);
  return Promise.all(names.map((name) => depthOf(ports, namespace, name)));
}

/** The open tasks of a queue: those that are ready in the order in which they are offered, then the others. */
export async function listTasks(ports: Needs, namespace: Namespace, queue: string) {
  const [rows, depth] = await Promise.all([
    tasksOf(ports, namespace, queue, MAX_TASKS),
    depthOf(ports, namespace, queue),
  ]);
  const found = await runs.findMany(
    ports,
    rows.map(({ id }) => id),
  );
  const now = ports.clock.now();
  const open = found.filter((run) => run !== undefined && runs.isTask(run) && run.status === 'pending') as Task[];
  return omitUndefined({ ...depth, tasks: open.map((task) => toRecord(task, now)) });
}
