import { stateOf } from '../context/branch-group.ts';
import { countEvents } from '../context/history.ts';
import type { Runtime } from '../context/runtime.ts';
import type { StatesError } from '../context/states-error.ts';
import type { Execution, Phase, Thread } from '../context/thread.ts';

/** Fails an execution. */
export type FailExecution = (execution: Execution, error: StatesError) => void;

/** Changes threads, and notes each change in the journal. */
export class ThreadWriter {
  readonly #runtime: Runtime;
  readonly #failExecution: FailExecution;

  constructor(runtime: Runtime, failExecution: FailExecution) {
    this.#runtime = runtime;
    this.#failExecution = failExecution;
  }

  /** Moves the thread to a phase. `details` replaces those of the former phase, except for `entered` and `retries`. */
  setPhase(thread: Thread, phase: Phase, details: Partial<Thread['details']> = {}, work?: string): void {
    const { entered, retries } = thread.details;
    thread.phase = phase;
    thread.details = { entered, retries, ...details };
    thread.work = work;
    this.#runtime.journal.noteThread(thread);
  }

  /** Moves the thread to the state of that name in its program. */
  enterState(thread: Thread, name: string): void {
    const { clock } = this.#runtime;
    thread.state = stateOf(thread.program, name);
    this.countTransition(thread);
    thread.details = { entered: clock.now(), retries: [] };
    this.setPhase(thread, 'ready');
    this.countHistory(thread, 1);
  }

  /** Reports a state transition to the observer of the runtime. */
  countTransition({ execution }: Thread): void {
    this.#runtime.onTransition?.(execution.tier);
  }

  /** Counts history events; false when that ended the execution, because it reached their limit. */
  countHistory(thread: Thread, events: number): boolean {
    const error = countEvents(thread, events, this.#runtime.limits.events);
    if (error) this.#failExecution(thread.execution, error);
    return error === undefined;
  }

  /** Discards threads: their further work has no effect. */
  discard(threads: Iterable<Thread>): void {
    for (const thread of threads) {
      thread.live = false;
      this.#runtime.journal.noteThread(thread);
    }
  }
}
