import { type NextAttempt, type TaskReply, toAnswer } from '../../compiler/emit/task-protocol.ts';
import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Ports } from '../../ports/ports.ts';
import type { EnginePorts } from '../ports.ts';
import { type DelayedStep, stepLater } from './call-machines.ts';
import { continueAsNew } from './continue-as-new.ts';
import { callTask, type DetachedWait, endOfTime, MAX_SECONDS, resumeTask, standsAt } from './detached-waits.ts';

/**
 * Does what the machine of a task would do after a reply: makes a call again, or lets a step resume the run. A run that would wait
 * longer than an execution of the tier EXPRESS can, because no timer was set, goes on in a machine.
 */
export async function followReply(
  ports: EnginePorts & Partial<Pick<Ports, 'timers'>>,
  key: DetachedWait,
  reply: TaskReply,
): Promise<void> {
  // The commit that left the wait has chosen how the run goes on.
  if (reply.reply === 'moved' || reply.reply === 'left') return;
  const step = stepAfter(key, reply, ports.timers !== undefined);
  if (step.seconds <= MAX_SECONDS) return stepLater(ports, key.run, step);
  const run = await runs.find(ports, key.run);
  if (run !== undefined && standsAt(run, key)) await continueAsNew(ports, run);
}

function stepAfter(key: DetachedWait, reply: TaskReply, hadTimers: boolean): DelayedStep {
  if (reply.reply === 'retry') return attemptAfter(key, reply.next, hadTimers);
  if (reply.reply === 'rest') return { seconds: reply.seconds, step: endOfTime(key) };
  const answer = toAnswer(reply);
  return { seconds: 0, step: resumeTask(key, 'error' in answer ? answer : {}) };
}

/** Another attempt, for which a step sets a timer if the pause is long and that was not tried. */
function attemptAfter(key: DetachedWait, { again, ...call }: NextAttempt, hadTimers: boolean): DelayedStep {
  const mayHaveTimer = !hadTimers && again * 1000 >= MIN_TIMER_MS;
  return mayHaveTimer
    ? { seconds: 0, step: callTask(key, { ...call, s: again }) }
    : { seconds: again, step: callTask(key, call) };
}
