import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { grow } from '../namespaces/partitions.ts';
import * as runs from '../runs/runs.ts';
import { endedTasks, unfinishedTasks } from '../storage/keys/worker-keys.ts';
import * as keys from '../storage/keys.ts';
import type { OpenKind } from '../storage/open-items.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** The write units of one key that an open task uses, as a multiple of those of a run: four instead of two. */
const ROWS_OF_TASK = 2;

/** Whether a caller still waits for a run that has ended. */
const isAwaited = (caller: runs.Run | undefined, { parent }: runs.Run): boolean =>
  caller?.status === 'pending' && caller.wait?.calls?.waiting.some(({ i }) => i === parent?.i) === true;

/**
 * The run whose end was not reported to its caller: the task itself, or a run above it that reached its end in the same
 * request. Undefined if every end was reported. `caller`: the caller of the task.
 */
async function unreportedOf(needs: Needs, task: runs.Run, caller: runs.Run | undefined): Promise<runs.Run | undefined> {
  let [child, above] = [task, caller];
  while (above !== undefined && above.status !== 'pending' && above.parent !== undefined) {
    child = above;
    above = await runs.find(needs, above.parent.id);
  }
  return isAwaited(above, child) ? child : undefined;
}

/** As `unreportedOf`, of a task that was read. */
export const unreportedEndOf = async (needs: Needs, task: runs.Run): Promise<runs.Run | undefined> =>
  task.parent === undefined ? undefined : unreportedOf(needs, task, await runs.find(needs, task.parent.id));

/** The rows of the tasks whose end, or an end that followed from it, was not reported. */
async function unreported(needs: Needs, rows: readonly Item[]): Promise<readonly Item[]> {
  const tasks = await runs.findMany(
    needs,
    rows.map(({ pk }) => keys.runIdIn(pk)),
  );
  const ids = [...new Set(tasks.flatMap((task) => task?.parent?.id ?? []))];
  const callers = new Map((await runs.findMany(needs, ids)).map((caller) => [caller?.id, caller]));
  const open = await Promise.all(
    tasks.map((task) => task && unreportedOf(needs, task, callers.get(task.parent?.id ?? ''))),
  );
  return rows.filter((_, index) => open[index] !== undefined);
}

/** The tasks of a namespace that workers have ended since the last pass of the reconciler, and whose end was not reported. */
export function endedTasksOf(needs: Needs & Pick<Ports, 'settings'>, namespace: Namespace): OpenKind {
  const { id, created } = namespace;
  return {
    cursor: keys.openCursor(id, 'tasks'),
    list: unfinishedTasks(id),
    order: 'order',
    oldest: Math.max(created, needs.clock.now() - runs.RETENTION_DAYS * DAY_MS),
    rangesOf: (from, to) =>
      keys.daysBetween(from, to).map((day) => ({ ...endedTasks(namespace, day), from: keys.timeText(from) })),
    pick: (rows) => unreported(needs, rows),
    onRate: (tasksPerSecond) => grow(needs, namespace, ROWS_OF_TASK * tasksPerSecond),
  };
}
