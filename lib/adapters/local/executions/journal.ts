import type { LocalDatabase } from '../database/database.ts';
import { withReserveNow } from '../database/disk/reserved-work.ts';
import { prepareAll, type Statement } from '../database/statement.ts';
import type { Journal } from '../interpreter/context/runtime.ts';
import type { Execution, Thread } from '../interpreter/context/thread.ts';
import {
  type ExecutionRow,
  type MachineRow,
  type PendingNotificationRow,
  SCHEMA,
  STATEMENTS,
  type ThreadRow,
} from './schema.ts';

/** The maximum number of ended executions that are kept, and the maximum time, milliseconds. */
export interface Retention {
  readonly count: number;
  readonly time: number;
  readonly now: () => number;
}

/** Whether the end of an execution needs a notification. */
export type NeedsNotification = (execution: Execution) => boolean;

type Statements = Readonly<Record<keyof typeof STATEMENTS, Statement>>;

const NO_OUTCOME = { status: null, output: null, error: null, cause: null };
const HOUR_MS = 3_600_000;
const PAUSE_AFTER_FAULT_MS = 1000;
// Old executions are deleted in batches: a hundredth of the kept ones.
const SPARE = 0.01;

/** The changes that are noted in one turn of the event loop. */
interface Turn {
  /** Resolves when the changes are in rows, which may not be on the disk yet. */
  readonly rows: PromiseWithResolvers<void>;
  /** Resolves when the caller may act on the changes. */
  readonly done: PromiseWithResolvers<void>;
}

/**
 * Executions in a database. Changes that are noted in one turn of the event loop are stored at its end, in their newest
 * state, all or nothing. Memory is consistent then, because a thread changes without awaiting anything.
 */
export class ExecutionsJournal implements Journal {
  readonly #database: LocalDatabase;
  readonly #sql: Statements;
  readonly #retention: Retention;
  readonly #needsNotification: NeedsNotification;
  /** Whether the process before was not closed: it was killed, or crashed. */
  readonly wasKilled: boolean;
  #executions = new Set<Execution>();
  #threads = new Set<Thread>();
  #settled = new Set<number>();
  #turn: Turn | undefined;
  #isNoted = false;
  #retrying: NodeJS.Timeout | undefined;
  #ended: number;
  #nextPrune = 0;
  #isClosed = false;

  /** Creates its tables if they are missing. */
  constructor(database: LocalDatabase, retention: Retention, needsNotification: NeedsNotification = () => false) {
    database.define(SCHEMA);
    this.#database = database;
    this.#sql = prepareAll(database, STATEMENTS);
    this.#retention = retention;
    this.#needsNotification = needsNotification;
    this.#ended = this.#number('endedCount');
    this.wasKilled = database.write(() => {
      this.#prune();
      return this.#sql.reopen.run() === 0;
    });
    database.beforeCommit(() => this.#store());
  }

  /** The highest id of an execution so far. */
  get lastId(): number {
    return this.#number('lastId');
  }

  async keepMachine({ handle, name, tier, definition }: MachineRow): Promise<void> {
    await this.#database.change(() => this.#sql.keepMachine.run(handle, name, tier, definition));
  }

  machine(handle: string): MachineRow | undefined {
    return this.#sql.machine.get(handle) as unknown as MachineRow | undefined;
  }

  /** Removes all versions of a machine, except those of executions that have not ended. */
  async removeMachine(name: string): Promise<void> {
    await this.#database.change(() => this.#sql.removeMachines.run(name));
  }

  find(machine: string, name: string): ExecutionRow | undefined {
    return this.#sql.find.get(machine, name) as unknown as ExecutionRow | undefined;
  }

  unfinished(): ExecutionRow[] {
    return this.#sql.unfinished.all() as unknown as ExecutionRow[];
  }

  /** The threads of an execution, parents before their children. */
  threadsOf(execution: number): ThreadRow[] {
    return this.#sql.threads.all(execution) as unknown as ThreadRow[];
  }

  /** The ends whose notification is pending. */
  pendingNotifications(): PendingNotificationRow[] {
    return this.#sql.owed.all() as unknown as PendingNotificationRow[];
  }

  /** Whether the notification of the end of an execution is pending. */
  isNotificationPending(execution: number): boolean {
    return this.#sql.isOwed.get(execution) !== undefined;
  }

  /** Notes that the notification of an execution's end was sent. */
  noteNotified(execution: number): void {
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
    if (!this.#database.waits) return this.#database.accepted();
    return this.#turn?.done.promise ?? this.#database.accepted();
  }

  /** Resolves when reads find everything noted so far; rejects when it cannot be stored, which is retried. */
  findable(): Promise<void> {
    return this.#turn?.rows.promise ?? Promise.resolve();
  }

  /** Stores the noted changes. Later ones are ignored. */
  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retrying);
    this.#retrying = undefined;
    if (this.#isNoted) this.#store();
    // A failed attempt to store the changes is not repeated: the database is closed next.
    clearTimeout(this.#retrying);
    if (this.#database.canStore) withReserveNow(() => this.#database.write(() => this.#sql.close.run()));
    this.#isClosed = true;
  }

  #schedule(): void {
    if (this.#isNoted || this.#isClosed) return;
    this.#isNoted = true;
    this.#turn = { rows: Promise.withResolvers<void>(), done: Promise.withResolvers<void>() };
    // There may be no caller that waits for it.
    for (const { promise } of Object.values(this.#turn)) promise.catch(() => {});
    // After a fault the next attempt is delayed.
    if (this.#retrying === undefined) this.#database.touch();
  }

  /** Runs before each commit. */
  #store(): void {
    const turn = this.#turn;
    if (!this.#isNoted || this.#isClosed || this.#retrying !== undefined || turn === undefined) return;
    this.#isNoted = false;
    this.#turn = undefined;
    try {
      this.#database.write(() => this.#storeNoted());
    } catch (fault) {
      this.#retrying = setTimeout(() => {
        this.#retrying = undefined;
        this.#database.touch();
      }, PAUSE_AFTER_FAULT_MS);
      this.#schedule();
      for (const { reject } of Object.values(turn)) reject(fault);
      return;
    }
    this.#forgetNoted();
    turn.rows.resolve();
    this.#database.accepted().then(turn.done.resolve, turn.done.reject);
  }

  #storeNoted(): void {
    for (const execution of this.#executions) this.#storeExecution(execution);
    for (const thread of this.#threads) this.#storeThread(thread);
    for (const id of this.#settled) this.#sql.settle.run(id);
    const ended = [...this.#executions].filter(({ outcome }) => outcome !== undefined).length;
    if (this.#ended + ended > this.#retention.count || this.#retention.now() > this.#nextPrune) this.#prune();
    else this.#ended += ended;
  }

  #forgetNoted(): void {
    for (const execution of this.#executions) execution.stored = true;
    for (const thread of this.#threads) thread.stored = thread.live;
    this.#executions = new Set();
    this.#threads = new Set();
    this.#settled = new Set();
  }

  #storeExecution(execution: Execution): void {
    const { id, machine, name, handle, input, started, deadline = null, ended = null, stored } = execution;
    const { status = null, output = null, error = null, cause = null } = execution.outcome ?? NO_OUTCOME;
    if (status !== null && this.#needsNotification(execution))
      this.#sql.owe.run(id, handle, name, status, error, cause);
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
      const changing = [step.name, phase, input, variables.text, work, JSON.stringify(details), events] as const;
      this.#sql.keepThread.run(...fixed, ...changing);
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
    return Number(this.#sql[name].get()?.['value']);
  }
}
