import { createHash } from 'node:crypto';
import { parseJson } from '../../../language/json-numbers.ts';
import type { Clock } from '../../../ports/clock.ts';
import {
  type Answer,
  EXECUTION_LOST,
  type Executions,
  type Machine,
  NoMachineError,
  type Tier,
} from '../../../ports/executions.ts';
import { Activity } from '../concurrency/activity.ts';
import { type Alarm, systemAlarm, Timers } from '../concurrency/timers.ts';
import type { LocalDatabase } from '../database/database.ts';
import { LIMITS, type Limits, textWithin } from '../interpreter/context/limits.ts';
import type { Invoke, TenantOf } from '../interpreter/context/runtime.ts';
import { StatesError, toStoredError } from '../interpreter/context/states-error.ts';
import type { Execution, Status } from '../interpreter/context/thread.ts';
import { queryCompiler } from '../interpreter/jsonata/jsonata.ts';
import { type CompiledMachine, compileInTurns, compileMachine } from '../interpreter/program/program.ts';
import { Interpreter } from '../interpreter/run/interpreter.ts';
import { ExecutionsJournal } from './journal.ts';
import { Notifications, needsNotification, type OnEnd } from './notifications.ts';
import { executionOf, reviveThreads } from './revival.ts';
import type { ExecutionRow } from './schema.ts';

export interface LocalExecutionsOptions {
  /** Stores machines and executions. */
  readonly database: LocalDatabase;
  /** If the function throws, its task fails with the name of the error. */
  readonly invoke: Invoke;
  /** On whose account the functions of an execution run: tenants take turns. By default all are of one tenant. */
  readonly tenantOf?: TenantOf;
  readonly clock: Clock;
  /** Quotas that differ from those of Step Functions. */
  readonly limits?: Partial<Limits>;
  /** Rings the timers; by default the alarm of the system. */
  readonly alarm?: Alarm;
  /** Called at each transition, a state is entered or retried; `onWait` when one begins to wait, with the milliseconds. */
  readonly onTransition?: (tier: Tier) => void;
  readonly onWait?: (tier: Tier, ms: number) => void;
  /**
   * Called for every execution that ends without success, after its end is stored, at least once: again after a delay
   * if it throws, and after `resume` if the process ended before.
   */
  readonly onEnd?: OnEnd;
  /**
   * Counts the work in progress of several adapters, so that a caller can wait for its end; by default a separate
   * count.
   */
  readonly activity?: Activity;
}

/** The state of an execution. Times are milliseconds since 1970. */
export interface ExecutionDescription {
  readonly status: Status;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
  readonly started: number;
  readonly ended?: number;
}

export interface LocalExecutions extends Executions {
  /**
   * Continues all executions that an earlier process left unfinished, and sends its pending notifications. Resolves
   * with the number of executions.
   */
  resume(): Promise<number>;
  /** Stops all executions; the next `resume` continues them. */
  close(): Promise<void>;
  /**
   * Resolves when no work is in progress except Wait states and tasks that wait for an answer. A pending retry and a
   * call of `onEnd` are work in progress; the delay before a repeated `onEnd` is not.
   */
  idle(): Promise<void>;
  /**
   * Returns the execution; undefined if it was never started or ended too long ago (`limits.kept`, `limits.keptDays`).
   */
  describe(handle: string, name: string): ExecutionDescription | undefined;
}

interface Ready extends CompiledMachine {
  readonly name: string;
  readonly tier: Tier;
}

const NAME = /^[A-Za-z0-9_-]{1,80}$/;
// Characters that Step Functions rejects in the name of an execution (aws-facts 1.1).
const EXECUTION_NAME = /^[^\s?*<>{}[\]"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;
const READY_MACHINES = 1000;
const DAY_MS = 86_400_000;

/**
 * Step Functions in this process. Machines and executions are in a database, and each transition is stored before it
 * calls a function, so that a killed process loses nothing. A function call that was interrupted is repeated.
 */
export function localExecutions(options: LocalExecutionsOptions): LocalExecutions {
  return new JournaledExecutions(options);
}

class JournaledExecutions implements LocalExecutions {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #timers: Timers;
  readonly #journal: ExecutionsJournal;
  readonly #activity: Activity;
  readonly #interpreter: Interpreter;
  readonly #notifications: Notifications | undefined;
  readonly #compile: ReturnType<typeof queryCompiler>;
  readonly #ready = new Map<string, Ready>();
  /** The executions whose end is not stored yet, by machine and name. */
  readonly #running = new Map<string, Execution>();
  #lastId: number;
  #closed = false;

  constructor(options: LocalExecutionsOptions) {
    const { database, clock, limits, alarm = systemAlarm, onEnd, activity = new Activity() } = options;
    this.#activity = activity;
    this.#clock = clock;
    this.#limits = { ...LIMITS, ...limits };
    const now = (): number => clock.now();
    this.#timers = new Timers(now, alarm);
    this.#compile = queryCompiler(now);
    const { kept, keptDays } = this.#limits;
    const retention = { count: kept, time: keptDays * DAY_MS, now };
    this.#journal = new ExecutionsJournal(database, retention, onEnd && needsNotification);
    this.#lastId = this.#journal.lastId;
    const inside = { journal: this.#journal, timers: this.#timers, activity: this.#activity };
    this.#notifications = onEnd && new Notifications({ ...inside, onEnd, now });
    const onExecutionEnd = (execution: Execution): void => this.#leave(execution);
    this.#interpreter = new Interpreter({ ...options, ...inside, limits: this.#limits, onExecutionEnd }, activity);
    for (const row of this.#journal.unfinished()) this.#revive(row);
  }

  async define({ name, definition, tier }: Machine): Promise<string> {
    if (!NAME.test(name)) throw new TypeError(`'${name}' is no name for a machine`);
    const version = createHash('sha256').update(`${tier}\n${definition}`).digest('base64url').slice(0, 22);
    const handle = `${name}:${version}`;
    if (this.#ready.has(handle)) return handle;
    const machine = await compileInTurns(definition, tier, this.#compile);
    await this.#journal.keepMachine({ handle, name, tier, definition });
    this.#keepReady(handle, { ...machine, name, tier });
    return handle;
  }

  async remove(handle: string): Promise<void> {
    const name = machineOf(handle);
    await this.#journal.removeMachine(name);
    for (const [known, machine] of this.#ready) if (machine.name === name) this.#ready.delete(known);
  }

  async start(handle: string, name: string, input: unknown): Promise<boolean> {
    this.#assertOpen();
    if (!EXECUTION_NAME.test(name)) throw new TypeError(`'${name}' is no name for an execution`);
    const machine = this.#machine(handle);
    const key = keyOf(machine.name, name);
    const former = this.#running.has(key) ? undefined : this.#journal.find(machine.name, name);
    if (former !== undefined) return this.#journal.isNotificationPending(former.id);
    if (!this.#running.has(key)) {
      const text = textWithin(this.#limits.bytes, 'the input', input);
      const execution = this.#newExecution(machine, { handle, name, input: text });
      this.#running.set(key, execution);
      this.#interpreter.start(execution, machine.program);
    }
    await this.#journal.stored();
    return true;
  }

  async isRunning(handle: string, name: string): Promise<boolean> {
    const former = this.#journal.find(machineOf(handle), name);
    if (former !== undefined && this.#journal.isNotificationPending(former.id)) return true;
    return this.#running.has(keyOf(machineOf(handle), name));
  }

  async stop(handle: string, name: string, error: string, cause: string): Promise<void> {
    this.#assertOpen();
    const execution = this.#running.get(keyOf(machineOf(handle), name));
    if (execution) this.#interpreter.end(execution, { status: 'ABORTED', error, cause });
    await this.#journal.stored();
  }

  async answer(token: string, answer: Answer): Promise<boolean> {
    this.#assertOpen();
    const [phase, work] =
      'error' in answer
        ? (['failed', toStoredError(new StatesError(answer.error, answer.cause))] as const)
        : (['result', textWithin(this.#limits.bytes, 'the output', answer.output)] as const);
    if (!this.#interpreter.answer(token, phase, work)) return false;
    await this.#journal.stored();
    return true;
  }

  async resume(): Promise<number> {
    this.#notifications?.resume();
    const asleep = [...this.#running.values()].filter((execution) => execution.asleep && !execution.outcome);
    for (const execution of asleep) this.#interpreter.resume(execution, this.#journal.wasKilled);
    return asleep.length;
  }

  async idle(): Promise<void> {
    await this.#activity.idle();
    await this.#journal.stored();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timers.close();
    this.#interpreter.close();
    this.#notifications?.close();
    this.#journal.close();
  }

  describe(handle: string, name: string): ExecutionDescription | undefined {
    const machine = machineOf(handle);
    const execution = this.#running.get(keyOf(machine, name));
    if (execution) return describe({ ...execution, ...execution.outcome });
    const row = this.#journal.find(machine, name);
    return row && describe(row);
  }

  #newExecution(machine: Ready, call: Pick<Execution, 'handle' | 'name' | 'input'>): Execution {
    const started = this.#clock.now();
    const tierLimit = machine.tier === 'EXPRESS' ? this.#limits.expressSeconds : Number.POSITIVE_INFINITY;
    const seconds = Math.min(machine.timeout ?? Number.POSITIVE_INFINITY, tierLimit);
    const deadline = Number.isFinite(seconds) ? started + seconds * 1000 : null;
    const row = { id: ++this.#lastId, machine: machine.name, ...call, started, deadline };
    return Object.assign(executionOf({ ...row, ...NOT_ENDED }, machine.tier), { stored: false, asleep: false });
  }

  #leave(execution: Execution): void {
    void this.#forget(execution);
    void this.#notifications?.notify(execution);
  }

  async #forget(execution: Execution): Promise<void> {
    await this.#journal.findable().catch(() => this.#forget(execution));
    this.#running.delete(keyOf(execution.machine, execution.name));
  }

  /** Fails an execution that cannot continue, because its definition is missing or is rejected by this version. */
  #revive(row: ExecutionRow): void {
    const stored = this.#journal.machine(row.handle);
    const execution = executionOf(row, (stored?.tier ?? 'STANDARD') as Tier);
    this.#running.set(keyOf(row.machine, row.name), execution);
    try {
      reviveThreads(execution, this.#machine(row.handle).program, this.#journal.threadsOf(row.id));
      this.#interpreter.load(execution);
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown.message : String(thrown);
      this.#interpreter.end(execution, { status: 'FAILED', error: EXECUTION_LOST, cause });
    }
  }

  #machine(handle: string): Ready {
    const known = this.#ready.get(handle);
    if (known) return known;
    const row = this.#journal.machine(handle);
    if (!row) throw new NoMachineError(handle);
    const tier = row.tier as Tier;
    return this.#keepReady(handle, { ...compileMachine(row.definition, tier, this.#compile), name: row.name, tier });
  }

  #keepReady(handle: string, machine: Ready): Ready {
    const [oldest] = this.#ready.size >= READY_MACHINES ? this.#ready.keys() : [];
    if (oldest !== undefined) this.#ready.delete(oldest);
    this.#ready.set(handle, machine);
    return machine;
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the executions are closed');
  }
}

const NOT_ENDED = { ended: null, status: null, output: null, error: null, cause: null };

const keyOf = (machine: string, name: string): string => `${machine}/${name}`;

/** Returns the machine of the version in a handle. */
function machineOf(handle: string): string {
  return handle.slice(0, handle.lastIndexOf(':'));
}

type Described = {
  readonly [field in 'status' | 'output' | 'error' | 'cause']?: string | null | undefined;
} & { readonly input: string; readonly started: number; readonly ended?: number | null | undefined };

function describe({ status, input, output, error, cause, started, ended }: Described): ExecutionDescription {
  return {
    status: (status ?? 'RUNNING') as Status,
    input: parseJson(input) as unknown,
    ...(output == null ? {} : { output: parseJson(output) as unknown }),
    ...(error == null ? {} : { error }),
    ...(cause == null ? {} : { cause }),
    started,
    ...(ended == null ? {} : { ended }),
  };
}
