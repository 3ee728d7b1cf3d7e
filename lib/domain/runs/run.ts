import type { HandlerPhase } from '../../compiler/plan/handlers.ts';
import { toValue } from '../../language/byte-values.ts';
import { isObject } from '../../language/json.ts';
import type { Labels } from '../../language/labels.ts';
import type { RunLimits } from '../run-limits.ts';
import type { CallSite, ContainerCallee, NativeCallee, StoredCallee, WorkerCallee } from './calls.ts';
import type { RunRecord } from './records.ts';
import type { RunTally } from './tallies.ts';
import type { CancelOn, Hold, Outbox, Parent, Placement, ReusedCalls, SettingsSnapshot, Wait } from './waits.ts';

export type Status = 'pending' | 'complete' | 'failed' | 'crashed';
export type Level = 'debug' | 'info' | 'error';

export interface LogLine {
  /** Microseconds since 1970; strictly increasing within a run, because clients drop lines that are not newer. */
  readonly t: number;
  readonly level: Level;
  readonly text: string;
  /** The state that wrote it, if any. */
  readonly state?: string;
}

/** The part of a run that lists show and indexes hold. */
export interface Head {
  readonly id: string;
  readonly namespaceId: string;
  readonly workflowId: string;
  readonly revision: string;
  /** The path as invoked. */
  readonly as: string;
  readonly invoker: string;
  readonly status: Status;
  /** The error code of a run that failed; else empty. */
  readonly code: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The last commit of a step, milliseconds since 1970. */
  readonly updated: number;
  /** It waits for the concurrency or the rate of its workflow and has not begun; absent for a run that has ended. */
  readonly queued?: true;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** How a run ends, or would end if no handler followed. */
export type RunEnd =
  | { readonly end: 'complete' }
  | { readonly end: 'failed' | 'crashed'; readonly code: string; readonly message: string };

/** A run that is in the chain of states of a handler. */
export interface Handling {
  readonly phase: HandlerPhase;
  /** How the run ends after the last handler, whatever becomes of that. */
  readonly end: RunEnd;
  /** The state in which it came to that end. */
  readonly from: string;
  /** When the time of the chain is over, milliseconds since 1970. */
  readonly until: number;
}

/** A failed call for which nothing waited: it may fail after its state, and after its run. */
export interface UnawaitedFailure extends Failure {
  /** The number of the step that made it. */
  readonly n: number;
  /** The id of the call. */
  readonly id: string;
}

/** The fields that a run of a workflow and a call have in common: both are stored as one item, and end once. */
export interface RunFields extends Head {
  /** The name of the namespace. */
  readonly namespace: string;
  /** The path of the workflow. */
  readonly path: string;
  /** The number of commits: the version for optimistic locking. */
  readonly seq: number;
  /** The id of the state to enter next, or of the present one. */
  readonly at: string;
  /** How many states were entered. */
  readonly step: number;
  /** The ids of the states entered, in order. */
  readonly flow: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly input: Uint8Array;
  /** Why its input does not match the schema of its workflow: `inputFailure` ends the run with it before its first state. */
  readonly inputProblem?: string;
  /** The error of an error state; the run ends failed with it. */
  readonly raised?: Failure;
  /** The handler in whose chain of states the run is; absent: it is in none. */
  readonly handling?: Handling;
  /** The soft timeout was raised; it is raised once. */
  readonly interrupted: boolean;
  /** The limits whose failure was raised; each is raised once. */
  readonly exceeded?: readonly (keyof RunLimits)[];
  readonly metadata: string;
  /** The newest log lines; older ones are in the journal. */
  readonly tail: readonly LogLine[];
  /** How many lines are in the journal. */
  readonly flushed: number;
  /** The text of the lines in the journal, bytes; absent: none. */
  readonly flushedBytes?: number;
  /** The instant of the newest line, microseconds since 1970. */
  readonly lastLine: number;
  /** The handle of the machine version that drives the run; empty while a request or a caller's step does. */
  readonly machine: string;
  /** How many executions it has had; more than one after a repair or continue-as-new. */
  readonly executions: number;
  /** About how many events the history of the present execution holds. */
  readonly historyEvents: number;
  /** The present execution is of tier EXPRESS, which cannot wait. */
  readonly express: boolean;
  /** The number of the wait with which the present execution begins; 0: it begins with a task. */
  readonly entryWait: number;
  /** When the present execution began, milliseconds since 1970. */
  readonly executionBegan: number;
  /** How many waits and checkpoints it has had: the number of the newest. */
  readonly waitCount: number;
  /** The state that was entered and is not done. */
  readonly wait?: Wait;
  /** The events that its waits have taken, as hashes of their ids; the newest last. */
  readonly processedEventIds: readonly string[];
  /** When the run sent the first event after its last wait, milliseconds since 1970; undefined: it has sent none. */
  readonly sentSince?: number;
  /** The run that called this one and waits for its end. */
  readonly parent?: Parent;
  /** The id of the run at the top of its callers; undefined for that run. */
  readonly root?: string;
  /** The ids of its callers from the top, each after a slash; undefined where it follows from the other fields. */
  readonly callPath?: string;
  /** The index of the call in the loop that made it. */
  readonly loopIndex?: number;
  /** How many callers are above it. */
  readonly depth: number;
  /** The owners of thread variables of its callers: name -> id of a run. */
  readonly threads: Readonly<Record<string, string>>;
  /** What its last commit owes. */
  readonly outbox: Outbox;
  readonly settings: SettingsSnapshot;
  /** Counts and times of its states so far. */
  readonly tally: RunTally;
  /** The states that it has visited, with their data. */
  readonly record: RunRecord;
  /** Calls for which nothing waited, and which failed, the newest last; absent: none. */
  readonly unawaited?: readonly UnawaitedFailure[];
  /** The trace that the run belongs to, if a request named one: `traceparent` of the W3C. */
  readonly trace?: string;
  /** By which it is found; absent: none. */
  readonly labels?: Labels;
  /** The id of the run that this one repeats. */
  readonly rerunOf?: string;
  /** Its part in the concurrency of its workflow; absent: its workflow has no limit, or it has not asked for a place. */
  readonly concurrency?: Placement;
  /** What held it back before it began; absent: it began at once, or waited for a place alone. */
  readonly hold?: Hold;
  /** When it left the queue, milliseconds since 1970; absent: it was in none. */
  readonly began?: number;
  /** The event that cancels it; absent: none. */
  readonly cancelOn?: CancelOn;
  /** The calls that its first state takes over from the runs that it repeats. */
  readonly reuse?: ReusedCalls;
  /** The ids of the runs that repeat this one, the newest last. */
  readonly reruns?: readonly string[];
  /** The keys of the blobs that its stored item refers to; absent for a run that is not stored yet. */
  readonly blobs?: readonly string[];
}

/** A run of a workflow: all that is stored of an instance, in one item. */
export interface WorkflowRun extends RunFields {
  readonly kind: 'workflow';
}

/** One attempt of a call of a container, a function or a worker. It has no workflow, and is in no list, log or metric. */
export interface Call<C extends StoredCallee = StoredCallee> extends RunFields {
  readonly kind: 'call';
  readonly callee: C;
  readonly site: CallSite;
}

export type Run = WorkflowRun | Call;

/** Whether a run waits in a queue. */
export const isQueued = ({ status, queued }: Pick<Head, 'status' | 'queued'>): boolean =>
  status === 'pending' && queued === true;

/** Whether a run is the call of a container. */
export const isContainerCall = (run: Run): run is Call<ContainerCallee> =>
  run.kind === 'call' && run.callee.kind === 'container';

/** Whether a run is the call of a worker: its task. */
export const isTask = (run: Run | undefined): run is Call<WorkerCallee> =>
  run?.kind === 'call' && run.callee.kind === 'worker';

/** Whether a run is the call of a function of Weft itself. */
export const isNativeCall = (run: Run): run is Call<NativeCallee> =>
  run.kind === 'call' && run.callee.kind !== 'container' && run.callee.kind !== 'worker';

/** The instance data of an input (rest-api reference, 6.1): an object as it is, any other value under the key `input`. */
export function inputData(input: Uint8Array): Record<string, unknown> {
  const value = toValue(input);
  return isObject(value) ? value : { input: value };
}

/** Whether a run with this error code was cancelled: by a request, by its caller, or by an event. */
export const isCancelledCode = (code: string): boolean => /\.cancels\.(api|parent|event)$/.test(code);
