import type { Send } from '../clients/client.ts';

/** The systems that `--peers` can name. */
export const PEERS = ['dbos', 'restate'] as const;
export type Peer = (typeof PEERS)[number];
export type SystemName = 'weft' | Peer;

/**
 * The requests of the rows. Each resolves with the answer; `key` is different in each call. A child does nothing: an empty
 * function of a peer, one `noop` of Weft.
 */
export interface Requests {
  /** Starts a run of one step and waits for its end. */
  readonly one: (send: Send, key: string) => Promise<unknown>;
  /** Ten steps in sequence. */
  readonly chain: (send: Send, key: string) => Promise<unknown>;
  /** Ten steps in sequence, each with a durable commit of its own. */
  readonly committedChain: (send: Send, key: string) => Promise<unknown>;
  /** Ten calls of a child, each after the end of the one before. */
  readonly calls: (send: Send, key: string) => Promise<unknown>;
  /** Twenty children at once. */
  readonly fan: (send: Send, key: string) => Promise<unknown>;
  /** Starts a run of one step and does not wait for it. */
  readonly begin: (send: Send, key: string) => Promise<unknown>;
  /** Starts a run that waits for the signal of this key, and waits for its end. */
  readonly wait: (send: Send, key: string) => Promise<unknown>;
  /** Sends the signal to the run of this key. */
  readonly signal: (send: Send, key: string) => Promise<unknown>;
}

/** A system that runs, with its data in a temporary folder. */
export interface Running {
  /** Where requests are sent. */
  readonly url: URL;
  /** The processes of the system; their children belong to it too. */
  readonly pids: readonly number[];
  readonly requests: Requests;
  /** Resolves when each of the runs that `begin` started since the last call, `count` of them, has ended. */
  readonly drain: (send: Send, count: number) => Promise<void>;
  /** Resolves when this number of runs wait for a signal. */
  readonly untilWaiting: (send: Send, count: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface System {
  readonly title: string;
  /** Name and version of each program, for the report. */
  readonly versions: () => Promise<string>;
  /** When a write is on the disk: a sentence for the report. */
  readonly durability: string;
  /** The license, and what it allows: a sentence for the report. */
  readonly license: string;
  /** How the two rows of ten steps are made: a sentence for the report. */
  readonly steps: string;
  /** Starts the system with an empty folder. */
  readonly start: (folder: string) => Promise<Running>;
}
