/**
 * What Weft needs of the world outside. Interfaces only; `adapters/aws` and `adapters/local` fulfil them, and
 * `test/contract` holds the law of each port as a suite that every adapter runs.
 */

import type { Containers } from './ports/containers.ts';
import type { Meter } from './ports/meter.ts';

export type * from './ports/containers.ts';
export type * from './ports/meter.ts';

/** What a table attribute may hold. User JSON is stored as text, never as a map (DynamoDB's 32 levels, 38 digits). */
export type Value = string | number | boolean | null | Uint8Array | Value[] | { [name: string]: Value };

export type TableName = 'catalog' | 'runs' | 'journal';

/** An item: its two key attributes and whatever else it holds. An attribute that is undefined is not stored. */
export interface Item {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: Value | undefined;
}

export interface Key {
  readonly table: TableName;
  readonly pk: string;
  readonly sk: string;
}

/** All parts must hold. `absent`/`present` ask for the whole item; `equals` compares top-level attributes. */
export interface Condition {
  readonly absent?: true;
  readonly present?: true;
  readonly equals?: Readonly<Record<string, Value>>;
}

export type Write =
  | { readonly do: 'put'; readonly table: TableName; readonly item: Item; readonly when?: Condition }
  | {
      readonly do: 'update';
      readonly key: Key;
      readonly set?: Readonly<Record<string, Value | undefined>>;
      readonly remove?: readonly string[];
      readonly add?: Readonly<Record<string, number>>;
      readonly when?: Condition;
    }
  | { readonly do: 'delete'; readonly key: Key; readonly when?: Condition }
  | { readonly do: 'check'; readonly key: Key; readonly when: Condition };

/** Items of one partition in the order of their sort key; `index` names a secondary index of the table. */
export interface Query {
  readonly table: TableName;
  readonly index?: string;
  readonly pk: string;
  readonly prefix?: string;
  readonly from?: string;
  readonly to?: string;
  readonly descending?: boolean;
  /** Most items of the page; a page may hold fewer and still have a `next`. */
  readonly limit?: number;
  readonly next?: string;
  /** Only these attributes are read out (keys are always there). */
  readonly only?: readonly string[];
  /** Count without reading out: `items` is empty, `count` is set. */
  readonly count?: boolean;
}

export interface Page {
  readonly items: readonly Item[];
  readonly count: number;
  /** Opaque; hand it back in `Query.next` for the following page. Undefined: that was the last. */
  readonly next?: string;
}

/** A write's condition did not hold; nothing of the call was written. `failed` are the indexes of the writes at fault. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition of the write did not hold');
    this.failed = failed;
  }
}

export interface Table {
  /** Strongly consistent; one call to the database for any number of keys up to 100; results in the order asked. */
  get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  /** Strongly consistent on a table, eventually on an index. */
  query(query: Query): Promise<Page>;
  /** All or nothing, at most 100 writes. One write is a plain conditional write, several are one transaction. Throws Conflict. */
  write(writes: readonly Write[]): Promise<void>;
}

/** All that is in the tables, for what must look at every item once. */
export interface Inventory {
  /** A page of a table, in no order; `next` is that of the page before. Strongly consistent. */
  page(table: TableName, next?: string): Promise<Page>;
}

/** Bytes too large for an item. Keys are `/`-separated paths. */
export interface Blobs {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes every blob whose key begins with the prefix. */
  remove(prefix: string): Promise<void>;
}

/** What must be kept from everybody. */
export interface Vault {
  /** The administrative key of this installation. */
  adminKey(): Promise<string>;
}

/** What sealed bytes are bound to, in clear text: no secrets. Names do not begin with `aws-crypto-`. */
export type Binding = Readonly<Record<string, string>>;

/** A data key as it is kept: sealed under the installation's root key and bound to its own facts. */
export interface DataKey {
  readonly sealed: Uint8Array;
  readonly binding: Binding;
}

/** Seals small secrets. What is kept of them is of no use to whoever cannot read the installation's root key. */
export interface Sealer {
  /** A new random data key, sealed; it opens with this binding alone. */
  newDataKey(binding: Binding): Promise<DataKey>;
  /** Throws when the data key does not open. */
  seal(key: DataKey, bytes: Uint8Array, binding: Binding): Promise<Uint8Array>;
  /** Throws for another data key or binding than it was sealed with, and for bytes that were changed. */
  open(key: DataKey, sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}

/** The answer of a server somewhere. */
export interface WebAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's beginning, at most 64 KiB of it. */
  readonly body: string;
}

/** A server did not answer; the message says why, in words for the user, and holds nothing that was sent. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Asks servers that users name. Redirects are answers. */
export interface Web {
  /** Throws Unreachable, also for addresses that are not for users to reach, and after `ms` milliseconds. */
  get(url: string, headers: Readonly<Record<string, string>>, ms: number): Promise<WebAnswer>;
}

export type Tier = 'EXPRESS' | 'STANDARD';

export interface Machine {
  /** Unique in the installation, at most 80 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** Amazon States Language, JSON text. */
  readonly definition: string;
  readonly tier: Tier;
}

/** State machines and their executions. */
export interface Executions {
  /** Creates or updates the machine and publishes it; the handle names exactly this version. Idempotent, resumable. */
  define(machine: Machine): Promise<string>;
  /** At most one execution per name: a second start with a name in use does nothing. */
  start(handle: string, name: string, input: unknown): Promise<void>;
  /** Ends a running execution; one that has ended, or never began, stays as it is. */
  stop(handle: string, name: string, error: string, cause: string): Promise<void>;
  /** Ends a waiting task; false when nobody waits for that token any more. */
  answer(token: string, answer: Answer): Promise<boolean>;
}

export type Answer = { readonly output: unknown } | { readonly error: string; readonly cause: string };

/** An event on its way to those who listen: where it is recorded, and what an outside listener needs of it. */
export interface Message {
  readonly namespaceId: string;
  readonly namespace: string;
  /** Where the event is recorded: the router reads it there. */
  readonly record: { readonly pk: string; readonly sk: string };
  readonly id: string;
  readonly type: string;
  readonly source: string;
  /** The CloudEvent as JSON text; absent when it is too large for a bus. */
  readonly event?: string;
  /** Tells a repetition that was asked for from the event's first way. */
  readonly replay?: string;
  /** The router goes on among many listeners: no news for anybody outside. */
  readonly round?: number;
}

/** Carries recorded events to the router: each at least once, in any order, repeated until the router takes it. */
export interface Bus {
  /** Any number of messages. Resolves when all are accepted; what is accepted survives a crash. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Accepts a message now that is published at `at` (milliseconds since 1970). The same name again changes nothing. */
  publishAt(at: number, name: string, message: Message): Promise<void>;
}

/** When a workflow is to be started by the clock. */
export interface Schedule {
  /** Unique in the installation, at most 60 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** The cron text of the workflow, checked: `CRON_TZ=Europe/Berlin 0 8 * * mon-fri`. */
  readonly cron: string;
  /** Handed to the function that starts the workflow, with the planned time of the tick. */
  readonly target: { readonly id: string; readonly namespace: string; readonly workflow: string };
}

/** The clock that starts workflows: each tick is told at least once. */
export interface Schedules {
  /** Why this clock cannot keep a cron text; undefined: it can. */
  problemOf(cron: string): string | undefined;
  /** Puts the schedule in place, in the place of one of that name. */
  set(schedule: Schedule): Promise<void>;
  /** Takes it away; one that is not there is fine. */
  remove(name: string): Promise<void>;
}

/** The only source of time and chance. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A UUID version 7: sorts by time. */
  uuid(): string;
  /** Unguessable text of 43 URL-safe characters (256 bits). */
  secret(): string;
}

/** What woke who watches: what was read may have changed, the time was over, or nobody may watch any longer. */
export type Woken = 'changed' | 'quiet' | 'over';

/** Watches what somebody reads again and again. */
export interface Watch {
  /** A reading begins: what is read through this table is watched, what was read before no longer. */
  begin(): Table;
  /**
   * Resolves as soon as something that was read may have changed, at latest after `atMost` milliseconds. `isBusy`: the
   * last reading found news, so that who has to ask asks sooner.
   */
  next(atMost: number, isBusy: boolean): Promise<Woken>;
  /** Ends it: who waits in `next` gets `over`. */
  close(): void;
}

/** Tells those who keep reading when to read again. It may tell too often; what others write it may miss. */
export interface Changes {
  watch(table: Table): Watch;
}

/** What the installation was told once. */
export interface Settings {
  /** The word in error codes, header names, event sources and metric names: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** What GET /version answers. */
  readonly version: string;
  /** How long log lines are kept; 30 if not given. */
  readonly retentionDays?: number | undefined;
  /** The most copies of a container that a user may ask to be kept running; 3 if not given. */
  readonly maxScale?: number | undefined;
}

export interface Ports {
  readonly settings: Settings;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly vault: Vault;
  readonly sealer: Sealer;
  readonly web: Web;
  readonly executions: Executions;
  readonly bus: Bus;
  readonly schedules: Schedules;
  readonly containers: Containers;
  readonly changes: Changes;
  readonly clock: Clock;
  /** Undefined where nobody counts. */
  readonly meter: Meter | undefined;
}
