import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Journal } from '../interpreter/context/runtime.ts';
import type { Execution, Thread } from '../interpreter/context/thread.ts';
import { type ExecutionRow, type MachineRow, type OwedRow, SCHEMA, STATEMENTS, type ThreadRow } from './schema.ts';

/** How many ended executions are kept at most, and for how many milliseconds. */
export interface Retention {
  readonly count: number;
  readonly time: number;
  readonly now: () => number;
}

/** Whether somebody is to be told of an execution's end. */
export type Owes = (execution: Execution) => boolean;

type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

const NO_OUTCOME = { status: null, output: null, error: null, cause: null };
const HOUR_MS = 3_600_000;
const PAUSE_AFTER_FAULT_MS = 1000;
// Old executions are removed some at a time: a hundredth of what is kept.
const SPARE = 0.01;

interface Turn {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Executions in an SQLite file. What is noted within one turn of the event loop is one transaction, in its newest
 * state; memory is always consistent then, as threads change without awaiting anything halfway.
 */
export class ExecutionsJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #retention: Retention;
  readonly #owes: Owes;
  #executions = new Set<Execution>();
  #threads = new Set<Thread>();
  #settled = new Set<number>();
  #turn: Turn | undefined;
  #pauseUntilRetry = 0;
  #ended: number;
  #nextPrune = 0;
  #closed = false;

  /** Opens or makes the file, `:memory:` for none. Throws when another process holds it. */
  constructor(file: string, retention: Retention, owes: Owes = () => false) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(SCHEMA);
    const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, this.#database.prepare(text)]);
    this.#sql = Object.fromEntries(prepared) as Statements;
    this.#retention = retention;
    this.#owes = owes;
    this.#ended = this.#number('endedCount');
    this.#prune();
  }

  /** The highest id of an execution so far. */
  get lastId(): number {
    return this.#number('lastId');
  }

  keepMachine({ handle, name, tier, definition }: MachineRow): void {
    this.#sql.keepMachine.run(handle, name, tier, definition);
  }

  machine(handle: string): MachineRow | undefined {
    return this.#sql.machine.get(handle) as MachineRow | undefined;
  }

  find(machine: string, name: string): ExecutionRow | undefined {
    return this.#sql.find.get(machine, name) as ExecutionRow | undefined;
  }

  unfinished(): ExecutionRow[] {
    return this.#sql.unfinished.all() as unknown as ExecutionRow[];
  }

  /** Parents come before their children. */
  threadsOf(execution: number): ThreadRow[] {
    return this.#sql.threads.all(execution) as unknown as ThreadRow[];
  }

  /** The ends that nobody has been told of, though somebody is to be. */
  owed(): OwedRow[] {
    return this.#sql.owed.all() as unknown as OwedRow[];
  }

  /** Somebody has been told of the execution's end. */
  settle(execution: number): void {
    this.#settled.add(execution);
    this.#schedule();
  }

  note(execution: Execution): void {
    this.#executions.add(execution);
    this.#schedule();
  }

  noteThread(thread: Thread): void {
    this.#threads.add(thread);
    this.#schedule();
  }

  stored(): Promise<void> {
    return this.#turn?.done ?? Promise.resolve();
  }

  /** Stores what is noted and closes the file. */
  close(): void {
    if (this.#closed) return;
    if (this.#turn) this.#flush();
    this.#closed = true;
    this.#database.close();
  }

  #schedule(): void {
    if (this.#turn || this.#closed) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Nobody may be waiting for it.
    promise.catch(() => {});
    this.#turn = { done: promise, resolve, reject };
    const flush = (): void => this.#flush();
    if (this.#pauseUntilRetry > 0) setTimeout(flush, this.#pauseUntilRetry);
    else setImmediate(flush);
  }

  #flush(): void {
    const turn = this.#turn;
    if (!turn || this.#closed) return;
    this.#turn = undefined;
    try {
      this.#store();
      this.#pauseUntilRetry = 0;
      turn.resolve();
    } catch (fault) {
      this.#pauseUntilRetry = PAUSE_AFTER_FAULT_MS;
      this.#schedule();
      turn.reject(fault);
    }
  }

  #store(): void {
    this.#transact(() => {
      for (const execution of this.#executions) this.#storeExecution(execution);
      for (const thread of this.#threads) this.#storeThread(thread);
      for (const id of this.#settled) this.#sql.settle.run(id);
    });
    for (const execution of this.#executions) {
      execution.stored = true;
      if (execution.outcome) this.#ended++;
    }
    for (const thread of this.#threads) thread.stored = thread.live;
    this.#executions = new Set();
    this.#threads = new Set();
    this.#settled = new Set();
    if (this.#ended > this.#retention.count || this.#retention.now() > this.#nextPrune) this.#prune();
  }

  #transact(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (fault) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw fault;
    }
  }

  #storeExecution(execution: Execution): void {
    const { id, machine, name, handle, input, started, deadline = null, ended = null, stored } = execution;
    const { status = null, output = null, error = null, cause = null } = execution.outcome ?? NO_OUTCOME;
    if (status !== null && this.#owes(execution)) this.#sql.owe.run(id, handle, name, status, error, cause);
    if (!stored) {
      this.#sql.insert.run(id, machine, name, handle, input, started, deadline, ended, status, output, error, cause);
      return;
    }
    this.#sql.end.run(ended, status, output, error, cause, id);
    this.#sql.removeThreads.run(id);
  }

  #storeThread(thread: Thread): void {
    const { execution, id, parent, place, state: step, phase, input, variables, work = null, details, events } = thread;
    if (execution.outcome) return;
    if (thread.live) {
      const fixed = [execution.id, id, parent?.id ?? null, place] as const;
      this.#sql.keepThread.run(
        ...fixed,
        step.name,
        phase,
        input,
        variables.text,
        work,
        JSON.stringify(details),
        events,
      );
    } else if (thread.stored) {
      this.#sql.removeThread.run(execution.id, id);
    }
  }

  #prune(): void {
    const { count, time, now } = this.#retention;
    this.#nextPrune = now() + HOUR_MS;
    this.#sql.removeOlder.run(now() - time);
    this.#ended = this.#number('endedCount');
    if (this.#ended <= count) return;
    const surplus = this.#ended - Math.floor(count * (1 - SPARE));
    this.#sql.removeOldest.run(surplus);
    this.#ended -= surplus;
  }

  #number(name: 'lastId' | 'endedCount'): number {
    return (this.#sql[name].get() as { value: number }).value;
  }
}
