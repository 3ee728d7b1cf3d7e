import type { Activity } from '../../concurrency/activity.ts';
import { dissolve, newThread, withDescendants } from '../context/branch-group.ts';
import type { Command } from '../context/command.ts';
import { type Runtime, waitUntilStored } from '../context/runtime.ts';
import { ERRORS, toFailedOutcome, toStatesError, toStoredError } from '../context/states-error.ts';
import type { Execution, Outcome, Phase, Thread } from '../context/thread.ts';
import type { Program } from '../program/program.ts';
import { STATE_HANDLERS } from '../states/handlers.ts';
import { BranchRunner, type Settle } from './branch-runner.ts';
import { decide, isActive } from './decision.ts';
import { TaskInvocations } from './task-invocations.ts';
import { ThreadWriter } from './thread-writer.ts';
import { Waits } from './waits.ts';

type Execute<K extends Command['kind']> = (thread: Thread, command: Extract<Command, { kind: K }>) => void;

/** After so many commands a thread waits for the journal, so that a machine without waits cannot block the process. */
const COMMANDS_BETWEEN_STORES = 32;

/**
 * Runs executions. The state that a thread is in decides on a command; the command changes the thread at once and is
 * noted in the journal; a function is called only after the journal has stored that.
 */
export class Interpreter {
  readonly #runtime: Runtime;
  readonly #activity: Activity;
  readonly #waits: Waits;
  readonly #tasks: TaskInvocations;
  readonly #threads: ThreadWriter;
  readonly #branches: BranchRunner;
  #closed = false;

  /** `activity` counts the work that is in progress here. */
  constructor(runtime: Runtime, activity: Activity) {
    const { timers, clock, limits } = runtime;
    const waits = new Waits(timers, activity);
    const threads = new ThreadWriter(runtime, (execution, error) => this.end(execution, toFailedOutcome(error)));
    const settle = this.#settle;
    const drive = (thread: Thread): void => void this.#drive(thread);
    const mayRun = (thread: Thread): boolean => this.#mayRun(thread);
    this.#runtime = runtime;
    this.#activity = activity;
    this.#waits = waits;
    this.#threads = threads;
    this.#tasks = new TaskInvocations({ runtime, activity, waits, threads, settle, mayRun });
    this.#branches = new BranchRunner({ clock, limits, threads, settle, drive });
  }

  /** Starts a new execution. */
  start(execution: Execution, program: Program): void {
    const { clock, journal } = this.#runtime;
    const now = clock.now();
    const root = newThread({ execution, place: 0, program, input: execution.input, phase: 'ready', now });
    execution.root = root;
    journal.note(execution);
    this.#startTimeout(execution);
    this.#threads.setPhase(root, 'ready');
    // ExecutionStarted, and the entry into the first state.
    this.#threads.countHistory(root, 2);
    this.#threads.countTransition(root);
    void this.#drive(root);
  }

  /** Registers the task tokens of an execution that was loaded from the journal. It does not go on yet. */
  load(execution: Execution): void {
    for (const thread of threadsOf(execution)) this.#waits.register(thread);
  }

  /** Resumes an execution that was loaded from the journal. `wasKilled`: the process before was not closed. */
  resume(execution: Execution, wasKilled: boolean): void {
    execution.asleep = false;
    this.#startTimeout(execution);
    for (const thread of threadsOf(execution)) this.#resumeThread(thread, wasKilled);
  }

  /** Ends an execution. One that has ended stays as it is. */
  end(execution: Execution, outcome: Outcome): void {
    if (execution.outcome) return;
    const { clock, journal, onExecutionEnd } = this.#runtime;
    execution.outcome = outcome;
    execution.ended = clock.now();
    execution.alarm?.cancel();
    this.#discard(threadsOf(execution));
    execution.root = undefined;
    journal.note(execution);
    onExecutionEnd(execution);
  }

  /** Completes the task that waits for the task token; false when no task waits for it. */
  answer(token: string, phase: 'result' | 'failed', work: string): boolean {
    const thread = this.#waits.find(token);
    if (!thread || this.#closed) return false;
    this.#settle(thread, phase, work);
    return true;
  }

  /** Stops all executions where they are; the results of calls in progress are ignored. */
  close(): void {
    this.#closed = true;
    this.#waits.close();
  }

  #startTimeout(execution: Execution): void {
    const { deadline } = execution;
    if (deadline === undefined) return;
    const onTimeout = (): void => this.end(execution, { status: 'TIMED_OUT', error: ERRORS.timeout });
    execution.alarm = this.#runtime.timers.at(deadline, onTimeout);
  }

  async #drive(thread: Thread): Promise<void> {
    const done = this.#activity.begin();
    try {
      await this.#executeCommands(thread);
    } catch (thrown) {
      this.end(thread.execution, toFailedOutcome(toStatesError(thrown)));
    } finally {
      done();
    }
  }

  async #executeCommands(thread: Thread): Promise<void> {
    const { clock, limits } = this.#runtime;
    for (let count = 1; this.#mayRun(thread) && isActive(thread.phase); count++) {
      const command = await decide(thread.phase, { thread, clock, limits });
      if (!this.#mayRun(thread)) return;
      this.#execute(thread, command);
      if (count % COMMANDS_BETWEEN_STORES === 0) await waitUntilStored(this.#runtime);
    }
  }

  #mayRun({ live, execution }: Thread): boolean {
    return live && !execution.asleep && !this.#closed;
  }

  #execute<K extends Command['kind']>(thread: Thread, command: Extract<Command, { kind: K }>): void {
    (this.#executors[command.kind as K] as Execute<K>)(thread, command);
  }

  readonly #executors: { readonly [K in Command['kind']]: Execute<K> } = {
    start: (thread, { input }) => {
      thread.input = input;
      this.#threads.enterState(thread, thread.program.start);
    },
    leave: (thread, { output, variables, next }) => {
      thread.variables = variables;
      if (!this.#threads.countHistory(thread, 1)) return;
      if (next === undefined) {
        const isBranch = this.#branches.end(thread, output);
        if (!isBranch) this.end(thread.execution, { status: 'SUCCEEDED', output });
        return;
      }
      thread.input = output;
      this.#threads.enterState(thread, next);
    },
    wait: (thread, { due }) => {
      this.#threads.setPhase(thread, 'wait', { due });
      this.#runtime.onWait?.(thread.execution.tier, due - thread.details.entered);
      this.#awaitTime(thread, due);
    },
    retry: (thread, { due, retries }) => {
      this.#threads.setPhase(thread, 'retry', { due, retries });
      this.#awaitRetry(thread, due);
    },
    invoke: (thread, { kind: _, work, ...details }) => {
      this.#threads.setPhase(thread, 'task', details, work);
      if (this.#threads.countHistory(thread, STATE_HANDLERS.Task.events.work)) void this.#tasks.run(thread);
    },
    fork: (thread, { plan }) => this.#branches.fork(thread, plan),
    fail: (thread, { error }) => this.#threads.setPhase(thread, 'failed', {}, toStoredError(error)),
    propagate: (thread, { error }) => {
      const { parent, execution } = thread;
      if (parent) this.#settle(parent, 'failed', toStoredError(error));
      else this.end(execution, toFailedOutcome(error));
    },
  };

  readonly #resumers: { readonly [phase in Phase]?: (thread: Thread, due: number) => void } = {
    wait: (thread, due) => this.#awaitTime(thread, due),
    retry: (thread, due) => this.#awaitRetry(thread, due),
    children: (thread) => this.#branches.advance(thread),
  };

  #resumeThread(thread: Thread, wasKilled: boolean): void {
    if (!thread.live) return;
    if (isActive(thread.phase)) void this.#drive(thread);
    else if (thread.phase === 'task') this.#tasks.resume(thread, wasKilled);
    else this.#resumers[thread.phase]?.(thread, thread.details.due ?? 0);
  }

  #awaitTime(thread: Thread, due: number): void {
    this.#waits.until(thread, due, () => this.#settle(thread, 'result', 'null'));
  }

  #awaitRetry(thread: Thread, due: number): void {
    this.#waits.untilRetry(thread, due, () => {
      this.#threads.countTransition(thread);
      this.#threads.setPhase(thread, 'ready');
      void this.#drive(thread);
    });
  }

  readonly #settle: Settle = (thread, phase, work) => {
    this.#waits.release(thread);
    this.#discard(dissolve(thread));
    this.#threads.setPhase(thread, phase, {}, work);
    const { result } = STATE_HANDLERS[thread.state.type].events;
    if (this.#threads.countHistory(thread, result)) void this.#drive(thread);
  };

  #discard(threads: readonly Thread[]): void {
    for (const thread of threads) this.#waits.release(thread);
    this.#threads.discard(threads);
  }
}

const threadsOf = ({ root }: Execution): Thread[] => (root ? [...withDescendants(root)] : []);
