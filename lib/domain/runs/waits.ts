import type { Message } from '../../ports/bus.ts';
import type { FileType } from '../../ports/containers.ts';

/** A call of a child: which element or branch of the state, and the how-manieth attempt (from 0). */
export interface CallKey {
  readonly i: number;
  readonly k: number;
}

/** A call that a machine is to make. `s`: the attempt comes after so many seconds; it failed before. */
export interface WaitingCall extends CallKey {
  readonly s?: number;
}

/** How far a state that makes calls has come. */
export interface Calls {
  /** How many the state makes in all. */
  readonly total: number;
  /** The first call that is not begun. */
  readonly next: number;
  /** What the calls returned, by their number. */
  readonly results: readonly unknown[];
  /** How many have returned. */
  readonly returned: number;
  /** The calls of this round that a machine waits for. */
  readonly waiting: readonly WaitingCall[];
  /** Calls that failed where a failure does not decide. */
  readonly failed: number;
}

/** What is waited for: an event of a type whose attributes match. */
export interface Filter {
  readonly type: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A wait for events. */
export interface Listening {
  /** One of the filters is enough, or each wants an event of its own. */
  readonly mode: 'one' | 'all';
  readonly filters: readonly Filter[];
  /** By filter: the event's JSON text, or null. */
  readonly received: readonly (string | null)[];
  /** Events that went out since then count, milliseconds since 1970. */
  readonly since: number;
  /** The task that waits; empty until it has said so. */
  readonly token: string;
}

/** Whether a wait has all that it waits for. */
export function isHeard({ mode, received }: Listening): boolean {
  return mode === 'all' ? received.every((text) => text !== null) : received.some((text) => text !== null);
}

/** A state that was entered and is not done. */
export interface Pause {
  /** Counted through the run from 1; a machine that comes back names it, so a late comer is known. */
  readonly number: number;
  /** The state's id. */
  readonly state: string;
  /** False: only a commit between two parts of long work, nobody waits. */
  readonly isWaiting: boolean;
  /** When the state was entered, milliseconds since 1970. */
  readonly entered: number;
  /** What the ids of its calls are made from with time: the commit before it was entered, milliseconds since 1970. */
  readonly origin: number;
  /** When what is waited for is due or given up, milliseconds since 1970. */
  readonly until: number;
  /** When the machine must come back: then, or when the run's own time is over. */
  readonly wake: number;
  readonly calls?: Calls;
  readonly listening?: Listening;
}

/** How a caller wants failed attempts repeated. Delays in milliseconds. */
export interface Retries {
  readonly codes: readonly string[];
  readonly most: number;
  readonly delay: number;
  readonly multiplier: number;
}

/** Who called a run and waits for its end. */
export interface Parent extends CallKey {
  readonly id: string;
  /** `and`: every call must succeed; `or`: the first that does decides. */
  readonly mode: 'and' | 'or';
  readonly retries?: Retries;
  /** How long the caller waits, milliseconds since 1970. */
  readonly until: number;
  /** The task that waits; empty while none does. */
  readonly token: string;
}

/** A variable, or a file of the tree, that a container finds as a file, as the action says it; nothing is read yet. */
export interface WantedFile {
  /** Of the scope `file` a path in the tree, as the workflow names it. */
  readonly key: string;
  readonly scope: 'instance' | 'workflow' | 'namespace' | 'thread' | 'file';
  /** Its path below the container's directory. */
  readonly name: string;
  readonly type: FileType;
}

/** What a child is that is no run of a workflow but one call of a container. Its id is the id of the action. */
export interface ServiceCall {
  /** The revision of the service, by its id of the port of containers. */
  readonly revision: string;
  /** The instance that calls, and the state in which it does. */
  readonly caller: string;
  readonly workflow: { readonly id: string; readonly path: string };
  readonly state: string;
  readonly step: number;
  /** The number of the element, in a loop over elements. */
  readonly iterator?: number;
  /** When the call is given up, milliseconds since 1970. */
  readonly until: number;
  readonly files: readonly WantedFile[];
}

/** An event that a run sent: where it is recorded, and when it goes out, milliseconds since 1970. */
export interface Sent {
  readonly message: Message;
  /** Undefined: at once. */
  readonly at?: number;
}

/** What a run was told of its surroundings when it began. */
export interface Told {
  /** How far waits look back before their beginning, milliseconds. */
  readonly lookback: number;
  /** Which of its own doings it sends events about. */
  readonly broadcasts: readonly string[];
  /** The logger of workflow event logging; empty: none. */
  readonly logger: string;
}
