import type { WorkerCallee } from '../../domain/runs/calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import { type AwaitingTask, callerWith } from '../../domain/runs/waits.ts';
import type { EnginePorts } from '../ports.ts';
import { wakePoll } from './waiting-polls.ts';

/** A child that is the task of a worker. */
export type Task = runs.Call<WorkerCallee>;

/** Wakes a poll of this process that waits for a task of the queue. */
export const notifyPolls = ({ namespaceId, callee }: Task): void => wakePoll(namespaceId, callee.queue);

/**
 * Offers a stored task to the workers of its queue. Its end ends the task of the machine. Safe to repeat with another one:
 * the last one counts. Returns the task as it is stored then; one that has ended is to be reported by the caller.
 */
export async function offerTask(ports: EnginePorts, task: Task, awaiting: AwaitingTask): Promise<runs.Run> {
  const { run } = await runs.update(ports, task, (current) => {
    const { parent } = current;
    if (current.status !== 'pending' || parent === undefined || parent.token === awaiting.token) return undefined;
    return { run: { ...current, parent: callerWith(parent, awaiting) } };
  });
  if (run.status === 'pending') notifyPolls(task);
  return run;
}
