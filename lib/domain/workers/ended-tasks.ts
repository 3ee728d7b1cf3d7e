import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { endedTasks, unfinishedTasks } from '../storage/keys/worker-keys.ts';
import * as keys from '../storage/keys.ts';
import type { OpenKind } from '../storage/open-items.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** Whether a caller waits for a task of its: it does not know that the task has ended. */
const isAwaited = (caller: runs.Run | undefined, { parent }: runs.Run): boolean =>
  caller?.status === 'pending' && caller.wait?.calls?.waiting.some(({ i }) => i === parent?.i) === true;

/** The rows of the tasks whose callers wait for them. */
async function awaited(needs: Needs, rows: readonly Item[]): Promise<readonly Item[]> {
  const tasks = await runs.findMany(
    needs,
    rows.map(({ pk }) => keys.runIdIn(pk)),
  );
  const ids = [...new Set(tasks.flatMap((task) => task?.parent?.id ?? []))];
  const callers = new Map((await runs.findMany(needs, ids)).map((caller) => [caller?.id, caller]));
  return rows.filter((_, index) => {
    const task = tasks[index];
    return task !== undefined && isAwaited(callers.get(task.parent?.id), task);
  });
}

/** The tasks of a namespace that workers have ended since the last pass of the reconciler, and that are still awaited. */
export function endedTasksOf(needs: Needs, { id, created }: Namespace): OpenKind {
  return {
    cursor: keys.openCursor(id, 'tasks'),
    list: unfinishedTasks(id),
    order: 'order',
    oldest: Math.max(created, needs.clock.now() - runs.RETENTION_DAYS * DAY_MS),
    rangesOf: (from, to) =>
      keys.daysBetween(from, to).map((day) => ({ ...endedTasks(id, day), from: keys.timeText(from) })),
    pick: (rows) => awaited(needs, rows),
  };
}
