import type { ListenTask, TaskReply } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled } from '../../domain/runs/waits.ts';
import { beginListening } from '../events/listening.ts';
import { isDetached } from '../machines/call-machines.ts';
import { limitWait } from '../machines/detached-waits.ts';
import type { RunnerPorts } from '../ports.ts';
import { isListening } from '../run/waiting-run.ts';
import { wake } from '../step/resume.ts';

/**
 * Begins a wait for events, which may have come before it: from now on an event that fulfils the wait ends the task. Returns
 * the reply to a task of a wait that is over: a process that woke the run meanwhile may have crashed before it ended the
 * task. Safe to repeat.
 */
export async function listen(ports: RunnerPorts, task: ListenTask): Promise<TaskReply | undefined> {
  const isBegun = await beginListening(ports, task);
  const run = isBegun ? await runs.find(ports, task.run) : undefined;
  if (run === undefined || !isListening(run, task.listen)) return { reply: 'left' };
  if (isFulfilled(run.wait.listening)) await wake(ports, run);
  else if (isDetached(run)) await limitWait(ports, run);
  return undefined;
}
