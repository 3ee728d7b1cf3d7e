import type { RunHandlers } from '../../compiler/plan/handlers.ts';
import type { Message } from '../../ports/bus.ts';
import type { RecordMode } from '../record-modes.ts';
import type { NamespaceLimits } from '../run-limits.ts';
import type { Spread } from '../storage/spread.ts';

/** The part of a run in the concurrency of its workflow. */
export interface Placement {
  /** The value of the key as text; empty for a workflow without a key. */
  readonly key: string;
  /** The sort key of its row in the queue; absent: it has a place. */
  readonly queuedAt?: string;
}

/** Until when a run is held back before it begins. */
export interface Hold {
  readonly by: 'rate' | 'debounce' | 'batch';
  /** The value of the key as text; empty for a workflow without a key. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** The time for which its execution was started to wait; set once `until` was moved. */
  readonly first?: number;
  /** How many starts have made the run; absent: one. */
  readonly starts?: number;
}

/** One attempt of one call. */
export interface CallKey {
  /** The number of the call within its state: the element or the branch, from 0. */
  readonly i: number;
  /** The number of the attempt, from 0. */
  readonly k: number;
}

/** A call for a state machine to make. */
export interface WaitingCall extends CallKey {
  /** Seconds until this attempt; the attempt before it failed. */
  readonly s?: number;
}

/**
 * How the calls of a state complete it. `and`: every call must succeed; `or`: the first call that succeeds completes the
 * state; `collect`: every call must end, and failures are listed.
 */
export type CallMode = 'and' | 'or' | 'collect';

/** A call that failed where its failure does not fail the state. */
export interface FailedCall {
  /** The number of the call. */
  readonly i: number;
  readonly code: string;
  readonly message: string;
}

/** The progress of a state that makes calls. */
export interface Calls {
  /** How many calls the state makes. */
  readonly total: number;
  /** The first call that is not begun. */
  readonly next: number;
  /** The results, by the number of the call. */
  readonly results: readonly unknown[];
  /** How many calls have succeeded. */
  readonly returned: number;
  /** The calls of this round that a machine waits for. */
  readonly waiting: readonly WaitingCall[];
  /** Calls that failed where one failure does not fail the state. */
  readonly failed: number;
  /** The failures of a state that collects them; absent: none. */
  readonly errors?: readonly FailedCall[];
  /** Some results are of calls that are not stored: functions of Weft itself, called in place. */
  readonly unstored?: true;
}

/** A visit of a state that made calls: with it the ids of the calls are known. */
export interface CallingVisit {
  /** The id of the run. */
  readonly id: string;
  readonly step: number;
  /** The commit before the state was entered, milliseconds since 1970. */
  readonly origin: number;
}

/** The calls that the first state of a run takes over from the runs that it repeats: those that succeeded there. */
export interface ReusedCalls {
  /** The newest first. */
  readonly visits: readonly CallingVisit[];
  /** Results of calls that are not stored, by number of the call; absent after the first state. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** The data over which those calls were made; absent: it is that of this run. */
  readonly before?: Readonly<Record<string, unknown>>;
}

/** An event to wait for: of a type, with matching attributes. */
export interface Filter {
  readonly type: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly isByValue?: boolean;
}

/** The event that cancels a run. */
export interface CancelOn {
  readonly filter: Filter;
  /** Events published since then count, milliseconds since 1970. */
  readonly since: number;
  /** Whether the events were read that came before the listener was stored. */
  readonly isChecked?: true;
  /** That of its listener; see `Listening`. */
  readonly partition?: number;
}

/** A wait for events. */
export interface Listening {
  /** `one`: one event for any of the filters; `all`: one event for each. */
  readonly mode: 'one' | 'all';
  readonly filters: readonly Filter[];
  /** By filter: the event's JSON text, or null. */
  readonly received: readonly (string | null)[];
  /** By filter: the name under which the event is stored, where that is not its id alone. */
  readonly names?: Readonly<Record<number, string>>;
  /** Events published since then count, milliseconds since 1970. */
  readonly since: number;
  /** The token of the machine's task; empty until the task has begun. */
  readonly token: string;
  /** Tokens of earlier calls of the task: a call that was given up may end after the one that repeats it. */
  readonly otherTokens?: readonly string[];
  /** The partition of its listeners that demand no exact value, among those of their types; absent: the first. */
  readonly partition?: number;
}

/** Whether a wait has received the events that it needs. */
export function isFulfilled({ mode, received }: Listening): boolean {
  return mode === 'all' ? received.every((text) => text !== null) : received.some((text) => text !== null);
}

/** A decision that is waited for, beside the `listening` that receives it. */
export interface OpenApproval {
  /** The key of the signatures of its links, hexadecimal. */
  readonly key: string;
  readonly subject: string;
  readonly text?: string;
  readonly assignees: readonly string[];
  /** How many of its reminders were made. */
  readonly reminded: number;
}

/** A state that was entered and is not done: it waits, or was cut by a checkpoint. */
export interface Wait {
  /** Counted through the run from 1; a machine names it when it resumes the run, so a late resume is recognised. */
  readonly number: number;
  /** The state's id. */
  readonly state: string;
  /** False: a checkpoint, a commit between two parts of long work. */
  readonly isWaiting: boolean;
  /** When the state was entered, milliseconds since 1970. */
  readonly entered: number;
  /** The commit before the state was entered, milliseconds since 1970: part of the ids of its calls. */
  readonly origin: number;
  /** When the wait ends by itself, milliseconds since 1970. */
  readonly until: number;
  /** When the machine must resume the run: at `until`, or earlier when a limit of the run or the machine comes first. */
  readonly wake: number;
  readonly calls?: Calls;
  readonly listening?: Listening;
  readonly approval?: OpenApproval;
}

/** How failed attempts of a call are retried: attempt `k` follows after `delay * backoffMultiplier ** k`. */
export interface RetryPolicy {
  /** Patterns of the error codes that are retried. */
  readonly codes: readonly string[];
  /** How many retries follow the first attempt. */
  readonly maxAttempts: number;
  /** Milliseconds. */
  readonly delay: number;
  readonly backoffMultiplier: number;
}

/** The caller of a run, which waits for its end. `i` and `k` name the call. */
export interface Parent extends CallKey {
  /** The id of the calling run. */
  readonly id: string;
  readonly mode: CallMode;
  /** The task that the token ends makes the only call of its state: see `AwaitingTask`. */
  readonly isAlone?: boolean;
  readonly retries?: RetryPolicy;
  /** When the caller stops waiting, milliseconds since 1970. */
  readonly until: number;
  /** The token of the machine's task that waits; empty while none does. */
  readonly token: string;
}

/** The task of a machine that waits for the end of a run. */
export interface AwaitingTask {
  /** Ends the task. */
  readonly token: string;
  /**
   * It makes the only call of its state, so it may end with what follows in the run of the caller. Machines of earlier
   * versions do not pass this: they expect the end of the call.
   */
  readonly alone?: boolean;
}

/** The caller of a run, with the task that the end of the run ends. */
export function callerWith({ isAlone: _, ...caller }: Parent, { token, alone }: AwaitingTask): Parent {
  return { ...caller, token, ...(alone === true ? { isAlone: true } : {}) };
}

/** An event of a commit, to be published after it. */
export interface Publication {
  readonly message: Message;
  /** When it is published, milliseconds since 1970; undefined: at once. */
  readonly at?: number;
}

/** A wait that a commit left where it was over, and the tasks of the machine that have not been ended for it. */
export interface LeftWait {
  readonly number: number;
  readonly tokens: readonly string[];
}

/** The execution of a run that another one has replaced, and the wait in which it was. */
export interface Abandoned {
  /** The handle of the machine; empty: no execution drove the run. */
  readonly machine: string;
  /** The name of the execution. */
  readonly execution: string;
  readonly step: number;
  readonly wait?: Pick<Wait, 'origin' | 'calls'>;
}

/**
 * What the last commit of a run owes and what does not follow from its other fields (transactional outbox). It is
 * delivered after the commit, and stays until a commit replaces it: a delivery may be repeated.
 */
export interface Outbox {
  readonly publish?: readonly Publication[];
  /** The run was cancelled: its container and its execution are stopped. */
  readonly stop?: true;
  /** The tasks that go on where the run stands. */
  readonly answer?: LeftWait;
  /** What a run was at when a handler took it over from outside: its execution is stopped, its calls are cancelled. */
  readonly abandoned?: Abandoned;
}

/** The settings of its namespace and workflow that a run keeps from its start. */
export interface SettingsSnapshot {
  /** How far waits look back before they begin, milliseconds. */
  readonly lookback: number;
  /** The kinds of events that the run sends about itself. */
  readonly broadcasts: readonly string[];
  /** The logger of workflow event logging; empty: none. */
  readonly logger: string;
  /** The mode of the run's record; absent: `full`. */
  readonly record?: RecordMode;
  /** The limits that the namespace sets, and the lower ones of the workflow. */
  readonly limits?: Partial<NamespaceLimits>;
  /** The beginning and the end of the run are counted in the table, because the namespace limits its active runs. */
  readonly isCounted?: true;
  /** The namespace sends alerts about its runs; absent: it does not, or an alert has started the run or a caller of it. */
  readonly alerts?: true;
  /** After this time, an ISO 8601 duration, the run is late; absent: never, or nothing of the namespace learns of it. */
  readonly expected?: string;
  /** The handlers of its workflow; absent: none. */
  readonly handlers?: RunHandlers;
  /** Images that Weft serves itself run as containers all the same; absent: they do not. */
  readonly avoidsNative?: boolean;
  /** Over how many partitions its rows are spread; absent: one (decision 7). */
  readonly spread?: Spread;
  /** When the namespace was read, milliseconds since 1970; absent: within a second before the start of the run. */
  readonly readAt?: number;
}
