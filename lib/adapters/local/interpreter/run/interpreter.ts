import type { Activity } from '../../concurrency/activity.ts';
import * as branches from '../context/branch-group.ts';
import type { Move } from '../context/evaluation-context.ts';
import { ERRORS, failedOutcome, failureText, StateFailure } from '../context/failure.ts';
import { count } from '../context/history.ts';
import { assertWithin } from '../context/limits.ts';
import type { Execution, Family, Outcome, Phase, Thread } from '../context/thread.ts';
import { durable, type World } from '../context/world.ts';
import type { Program } from '../program/program.ts';
import { KINDS } from '../states/kinds.ts';
import { decide, isActive, toFailure } from './decision.ts';
import { Errands } from './task-invocation.ts';
import { Waits } from './waits.ts';

type Carry<M extends Move['move']> = (thread: Thread, move: Extract<Move, { move: M }>) => void;

// A thread that never waits lets others run, and its progress be stored, after so many moves.
const MOVES_AT_A_STRETCH = 32;

/**
 * Moves executions on. A thread decides (its state's templates are evaluated), the decision changes the thread at
 * once and is noted in the journal, and only when the journal has stored it is a function called.
 */
export class Interpreter {
  readonly #world: World;
  readonly #activity: Activity;
  readonly #waits: Waits;
  readonly #errands: Errands;
  #closed = false;

  /** `activity` counts what is under way here. */
  constructor(world: World, activity: Activity) {
    this.#world = world;
    this.#activity = activity;
    this.#waits = new Waits(world.timers, this.#activity);
    this.#errands = new Errands(world, this.#activity);
  }

  /** Begins a new execution. */
  begin(execution: Execution, program: Program): void {
    const { clock, journal } = this.#world;
    const root = branches.newThread({
      execution,
      place: 0,
      program,
      input: execution.input,
      phase: 'ready',
      now: clock.now(),
    });
    execution.root = root;
    journal.note(execution);
    this.#watch(execution);
    this.#set(root, 'ready');
    // ExecutionStarted, and the first state entered.
    this.#count(root, 2);
    this.#world.onTransition?.(execution.tier);
    void this.#drive(root);
  }

  /** Makes the tokens of an execution that was read from the journal known; it sleeps on. */
  lay(execution: Execution): void {
    for (const thread of execution.root ? branches.lineage(execution.root) : []) this.#waits.expect(thread);
  }

  /** Goes on with an execution that was read from the journal. */
  wake(execution: Execution): void {
    execution.asleep = false;
    this.#watch(execution);
    for (const thread of execution.root ? [...branches.lineage(execution.root)] : []) this.#wakeThread(thread);
  }

  /** Ends an execution; one that has ended stays as it is. */
  end(execution: Execution, outcome: Outcome): void {
    if (execution.outcome) return;
    execution.outcome = outcome;
    execution.ended = this.#world.clock.now();
    execution.alarm?.cancel();
    if (execution.root) this.#bury(branches.lineage(execution.root));
    execution.root = undefined;
    this.#world.journal.note(execution);
    this.#world.ended(execution);
  }

  /** Ends the task that waits for the token; false when none does. */
  answer(token: string, phase: 'result' | 'failed', work: string): boolean {
    const thread = this.#waits.find(token);
    if (!thread || this.#closed) return false;
    this.#settle(thread, phase, work);
    return true;
  }

  /** Nothing moves any more; what calls still return is ignored. */
  close(): void {
    this.#closed = true;
    this.#waits.close();
  }

  #watch(execution: Execution): void {
    const { deadline } = execution;
    if (deadline === undefined) return;
    execution.alarm = this.#world.timers.at(deadline, () =>
      this.end(execution, { status: 'TIMED_OUT', error: ERRORS.timeout }),
    );
  }

  async #drive(thread: Thread): Promise<void> {
    const done = this.#activity.begin();
    try {
      await this.#advance(thread);
    } catch (thrown) {
      this.#fail(thread.execution, toFailure(thrown));
    } finally {
      done();
    }
  }

  async #advance(thread: Thread): Promise<void> {
    const { clock, limits } = this.#world;
    for (let moves = 1; this.#mayMove(thread) && isActive(thread.phase); moves++) {
      const move = await decide(thread.phase, { thread, clock, limits });
      if (!this.#mayMove(thread)) return;
      this.#carry(thread, move);
      if (moves % MOVES_AT_A_STRETCH === 0) await durable(this.#world);
    }
  }

  #mayMove({ live, execution }: Thread): boolean {
    return live && !execution.asleep && !this.#closed;
  }

  #carry<M extends Move['move']>(thread: Thread, move: Extract<Move, { move: M }>): void {
    (this.#carriers[move.move as M] as Carry<M>)(thread, move);
  }

  readonly #carriers: { readonly [M in Move['move']]: Carry<M> } = {
    begin: (thread, { input }) => {
      thread.input = input;
      this.#enter(thread, thread.program.start);
    },
    on: (thread, { output, variables, next }) => {
      thread.variables = variables;
      if (!this.#count(thread, 1)) return;
      if (next === undefined) {
        this.#finish(thread, output);
        return;
      }
      thread.input = output;
      this.#enter(thread, next);
    },
    wait: (thread, { due }) => {
      this.#set(thread, 'wait', { due });
      this.#sleep(thread, due);
    },
    retry: (thread, { due, retries }) => {
      this.#set(thread, 'retry', { due, retries });
      this.#pause(thread, due);
    },
    call: (thread, { work, ...patience }) => {
      this.#set(thread, 'task', patience, work);
      if (this.#count(thread, KINDS.Task.events.work)) this.#await(thread);
    },
    fork: (thread, { plan }) => {
      thread.family = branches.newFamily(plan);
      this.#set(thread, 'children', {}, JSON.stringify(plan));
      if (this.#count(thread, KINDS[thread.step.type].events.work)) this.#spawn(thread);
    },
    fail: (thread, { failure }) => this.#set(thread, 'failed', {}, failureText(failure)),
    'give-up': (thread, { failure }) => {
      const { parent, execution } = thread;
      if (parent) this.#settle(parent, 'failed', failureText(failure));
      else this.#fail(execution, failure);
    },
  };

  #enter(thread: Thread, name: string): void {
    thread.step = branches.stepOf(thread.program, name);
    this.#world.onTransition?.(thread.execution.tier);
    thread.details = { entered: this.#world.clock.now(), retries: [] };
    this.#set(thread, 'ready');
    this.#count(thread, 1);
  }

  /** Puts the thread into a phase; what the details do not keep from phase to phase is given anew. */
  #set(thread: Thread, phase: Phase, details: Partial<Thread['details']> = {}, work?: string): void {
    const { entered, retries } = thread.details;
    thread.phase = phase;
    thread.details = { entered, retries, ...details };
    thread.work = work;
    this.#world.journal.noteThread(thread);
  }

  readonly #wakers: { readonly [phase in Phase]?: (thread: Thread, due: number) => void } = {
    wait: (thread, due) => this.#sleep(thread, due),
    retry: (thread, due) => this.#pause(thread, due),
    task: (thread) => this.#await(thread),
    children: (thread) => this.#spawn(thread),
  };

  #wakeThread(thread: Thread): void {
    if (!thread.live) return;
    if (isActive(thread.phase)) void this.#drive(thread);
    else this.#wakers[thread.phase]?.(thread, thread.details.due ?? 0);
  }

  #sleep(thread: Thread, due: number): void {
    this.#waits.until(thread, due, () => this.#settle(thread, 'result', 'null'));
  }

  #pause(thread: Thread, due: number): void {
    this.#waits.pause(thread, due, () => {
      this.#world.onTransition?.(thread.execution.tier);
      this.#set(thread, 'ready');
      void this.#drive(thread);
    });
  }

  /** Waits for a task: for its call, unless that was made before a restart, and its answer, as long as it has patience. */
  #await(thread: Thread): void {
    const { due, dueError, submitted } = thread.details;
    this.#waits.expect(thread);
    if (due !== undefined) {
      const late = failureText(new StateFailure(dueError ?? ERRORS.timeout));
      this.#waits.until(thread, due, () => this.#settle(thread, 'failed', late));
    }
    if (!submitted) this.#call(thread);
  }

  #call(thread: Thread): void {
    const call = {};
    thread.call = call;
    const isAwaited = (): boolean => thread.call === call && this.#mayMove(thread);
    void this.#errands.run(thread, isAwaited, ({ phase, work }) => {
      if (phase !== 'submitted') this.#settle(thread, phase, work);
      else this.#set(thread, 'task', { ...thread.details, submitted: true }, thread.work);
    });
  }

  /** What the thread waited for has come. */
  #settle(thread: Thread, phase: 'result' | 'failed', work: string): void {
    this.#waits.release(thread);
    this.#bury(branches.disband(thread));
    this.#set(thread, phase, {}, work);
    if (this.#count(thread, KINDS[thread.step.type].events.result)) void this.#drive(thread);
  }

  #bury(threads: Iterable<Thread>): void {
    for (const thread of threads) {
      this.#waits.release(thread);
      thread.live = false;
      this.#world.journal.noteThread(thread);
    }
  }

  /** Lets the children begin that may, or takes their outputs when all have ended. */
  #spawn(parent: Thread): void {
    const { family } = parent;
    if (!family) return;
    if (branches.isComplete(family)) this.#gather(parent, family);
    for (const child of branches.nextChildren(parent, this.#world.clock.now())) {
      this.#set(child, child.phase);
      // An iteration is started, or a branch enters its first state.
      if (!this.#count(child, 1)) return;
      void this.#drive(child);
    }
  }

  #gather(parent: Thread, family: Family): void {
    try {
      const output = branches.gather(family);
      assertWithin(this.#world.limits.bytes, 'the result', output);
      this.#settle(parent, 'result', output);
    } catch (thrown) {
      this.#settle(parent, 'failed', failureText(toFailure(thrown)));
    }
  }

  #finish(thread: Thread, output: string): void {
    const { parent, execution } = thread;
    if (!parent?.family) {
      this.end(execution, { status: 'SUCCEEDED', output });
      return;
    }
    this.#set(thread, 'ended', {}, output);
    parent.family.running--;
    if (parent.family.plan.items && !this.#count(thread, 1)) return;
    this.#spawn(parent);
  }

  #fail(execution: Execution, failure: StateFailure): void {
    this.end(execution, failedOutcome(failure));
  }

  /** Counts history events; false when the execution ended of too many. */
  #count(thread: Thread, events: number): boolean {
    const failure = count(thread, events, this.#world.limits.events);
    if (failure) this.#fail(thread.execution, failure);
    return failure === undefined;
  }
}
