import type { TaskReply } from '../../compiler/emit/task-protocol.ts';
import type * as listeners from '../../domain/events/listeners.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { Abandoned, Filter, Listening, Parent, Publication, Wait } from '../../domain/runs/waits.ts';
import { replyToLeftWait } from '../machines/tasks.ts';
import { isFulfilledRun } from '../run/waiting-run.ts';

/** One thing that the last commit of a run owes. docs/threads.md says for each what repeats it after a crash. */
export type Entry =
  | { readonly do: 'publish'; readonly events: readonly Publication[] }
  /** Ends the container and the execution of a run that was cancelled. */
  | { readonly do: 'stop' }
  /** Ends an execution that another one has replaced, and cancels the calls for which the run waited there. */
  | { readonly do: 'abandon'; readonly abandoned: Abandoned }
  /** Cancels the calls for which a run waited that was ended from outside. */
  | { readonly do: 'cancelCalls'; readonly wait: Pick<Wait, 'origin' | 'calls'> }
  /** Releases the place of an ended run in the concurrency of its workflow, for the next one. */
  | { readonly do: 'release' }
  /** Wakes the requests of this process that wait for the end of the run. */
  | { readonly do: 'notify' }
  | { readonly do: 'tellCaller'; readonly parent: Parent }
  | { readonly do: 'answer'; readonly tokens: readonly string[]; readonly reply: TaskReply }
  | { readonly do: 'forget'; readonly listeners: WaitListeners };

/** The listeners of a wait that a commit of this process left. */
export interface WaitListeners {
  readonly owner: listeners.Owner;
  readonly filters: readonly Filter[];
  /** The number of the wait. */
  readonly number: number;
}

/** The tokens of the tasks that wait for the events of a wait. */
export function tokensOf({ token, otherTokens = [] }: Listening): readonly string[] {
  return token === '' ? [] : [token, ...otherTokens];
}

/** Whether a machine waits for what the last commit owes it: events alone are found again by the reconciler. */
export const owesAnswer = (run: Run): boolean =>
  run.outbox.answer !== undefined || run.outbox.abandoned !== undefined || isFulfilledRun(run);

/**
 * What the last commit of a run owes, in the order in which it is delivered. Nothing but the run's item is needed: events and
 * the tasks of a wait that was left are stored in `outbox`; the rest follows from the status, the wait and the caller.
 * `now`: milliseconds since 1970.
 */
export function outboxOf(run: Run, now: number): Entry[] {
  const { outbox, status, wait, parent } = run;
  const entries: Entry[] = [];
  if (outbox.publish !== undefined) entries.push({ do: 'publish', events: outbox.publish });
  if (outbox.abandoned !== undefined) entries.push({ do: 'abandon', abandoned: outbox.abandoned });
  if (status !== 'pending') {
    if (outbox.stop === true) entries.push({ do: 'stop' });
    if (wait?.calls !== undefined) entries.push({ do: 'cancelCalls', wait });
    if (run.concurrency !== undefined) entries.push({ do: 'release' });
    entries.push({ do: 'notify' });
    if (parent !== undefined && parent.token !== '') entries.push({ do: 'tellCaller', parent });
  }
  if (outbox.answer !== undefined) {
    entries.push({ do: 'answer', tokens: outbox.answer.tokens, reply: replyToLeftWait(run, now) });
  }
  if (isFulfilledRun(run)) {
    entries.push({ do: 'answer', tokens: tokensOf(run.wait.listening), reply: { reply: 'eventsReceived' } });
  }
  return entries;
}
