import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import type { EnginePorts } from '../../../lib/engine/ports.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Answer } from '../../../lib/ports/executions.ts';
import type { Item, TableName, Write } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

export type Rows = Readonly<Record<TableName, ReadonlyMap<string, Item>>>;

/** A process at work: it waits before each call of a port until the explorer lets it make this call. */
interface Actor {
  readonly name: string;
  /**
   * Functions that let it make the calls for which it waits, the oldest first. Empty: it computes, has ended, or has
   * crashed.
   */
  readonly waiting: (() => void)[];
  isDone: boolean;
  /** A digest of all results of its calls. Its state follows from them, because it is deterministic. */
  history: string;
  calls: number;
}

type Work = (ports: EnginePorts) => Promise<unknown>;

const keyOf = (write: Write) => (write.do === 'put' ? write : write.key);

/** A model: its rows, its actors, and its check. */
export interface Model {
  readonly rows: Rows;
  /** The actors at the beginning, by name. */
  readonly actors: Readonly<Record<string, (world: OrderedWorld) => Work>>;
  /** Handles a message of the bus; it becomes another actor. */
  readonly route: (message: Message) => Work;
  /** The actors that may crash before any of their calls, and are then started again: their names begin with one of these. */
  readonly crashing?: readonly string[];
  /** As in the settings; 0 by default: machines run all states, which leaves less to order. */
  readonly startBudgetMs?: number;
  /** Calls for these tables are not ordered: the rows that they read do not change, or do not matter. */
  readonly unordered?: readonly TableName[];
  /** Returns the violations when every actor has ended; empty: none. */
  readonly check: (world: OrderedWorld) => Promise<readonly string[]>;
}

const digest = (text: string): string => createHash('sha1').update(text).digest('base64');

/** One order of the calls of all actors, over a table in memory. Time stands still. */
export class OrderedWorld {
  readonly actors: Actor[] = [];
  /** The ports of a process whose calls need not wait. */
  readonly ports: EnginePorts;
  /** The token by which a machine waits now, and its answers. */
  token = '';
  answers: Answer[] = [];
  crashed: readonly string[] = [];
  private readonly model: Model;
  private readonly works = new Map<string, Work>();
  readonly state: Record<TableName, Map<string, Item>>;
  private readonly blobs = memoryBlobs();

  constructor(model: Model) {
    this.model = model;
    const { catalog, runs, journal } = model.rows;
    this.state = { catalog: new Map(catalog), runs: new Map(runs), journal: new Map(journal) };
    this.ports = this.portsOf(undefined);
    for (const [name, workOf] of Object.entries(model.actors)) this.start(name, workOf(this));
  }

  start(name: string, work: Work): void {
    const actor: Actor = { name, waiting: [], isDone: false, history: '', calls: 0 };
    this.actors.push(actor);
    this.works.set(name, work);
    const end = () => {
      actor.isDone = true;
    };
    const fail = (error: unknown) => {
      actor.history = digest(`${actor.history} ${String(error)}`);
      actor.isDone = true;
    };
    work(this.portsOf(actor)).then(end, fail);
  }

  private portsOf(actor: Actor | undefined): EnginePorts {
    const table = new MemoryTable(this.state);
    const call = async <T>(make: () => Promise<T>): Promise<T> => {
      if (actor === undefined) return make();
      await new Promise<void>((resolve) => actor.waiting.push(resolve));
      actor.calls += 1;
      const noted = (result: unknown) => {
        actor.history = digest(`${actor.history} ${JSON.stringify(result) ?? ''}`);
      };
      return make().then(
        (result) => {
          noted(result);
          return result;
        },
        (error: unknown) => {
          noted(String(error));
          throw error;
        },
      );
    };
    const { unordered = ['catalog'] } = this.model;
    const isUnordered = (of: { readonly table: TableName }) => unordered.includes(of.table);
    const publish = (messages: readonly Message[]) =>
      call(async () => {
        for (const message of messages) this.start(`route ${message.id} of ${actor?.name}`, this.model.route(message));
      });
    return {
      settings: { brand: 'service', version: 'v0', startBudgetMs: this.model.startBudgetMs ?? 0 },
      table: {
        get: (keys) => (keys.every(isUnordered) ? table.get(keys) : call(() => table.get(keys))),
        query: (query) => (isUnordered(query) ? table.query(query) : call(() => table.query(query))),
        write: (writes) =>
          writes.every((write) => isUnordered(keyOf(write))) ? table.write(writes) : call(() => table.write(writes)),
      },
      blobs: this.blobs,
      executions: {
        define: async ({ name }) => name,
        remove: async () => undefined,
        start: () => call(async () => true),
        isRunning: async () => true,
        stop: () => call(async () => undefined),
        answer: (token, answer) => call(async () => this.answer(token, answer)),
      },
      bus: { publish, publishAt: (_at, _name, message) => publish([message]) },
      schedules: { problemOf: () => undefined, set: async () => {}, remove: async () => {} },
      clock: { now: () => Date.UTC(2026, 0, 15, 12), uuid: () => '', secret: () => '' },
    };
  }

  private answer(token: string, answer: Answer): boolean {
    if (token !== this.token || this.answers.length > 0) return false;
    this.answers.push(answer);
    return true;
  }

  /** Resolves when every actor waits for its next call or has ended. */
  async settle(): Promise<void> {
    do await turn();
    while (this.actors.some(({ isDone, waiting }) => !isDone && waiting.length === 0));
  }

  /** The possible next choices: an actor makes its call, or crashes before it. */
  choices(): string[] {
    const open = this.actors.filter(({ isDone, waiting }) => !isDone && waiting.length > 0).map(({ name }) => name);
    const { crashing = [] } = this.model;
    const mayCrash = (name: string) =>
      !this.crashed.includes(name) && crashing.some((beginning) => name.startsWith(beginning));
    return [...open, ...open.filter(mayCrash).map((name) => `crash ${name}`)];
  }

  async choose(choice: string): Promise<void> {
    const crashed = choice.startsWith('crash ') ? choice.slice('crash '.length) : undefined;
    const actor = this.actors.find(({ name }) => name === (crashed ?? choice));
    if (actor === undefined) throw new Error(`no actor waits: ${choice}`);
    if (crashed === undefined) actor.waiting.shift()?.();
    else this.restart(actor);
    await this.settle();
  }

  private restart(actor: Actor): void {
    actor.isDone = true;
    actor.history = '';
    actor.calls = 0;
    const again = `${actor.name} again`;
    const work = this.works.get(actor.name);
    this.crashed = [...this.crashed, actor.name, again];
    if (work !== undefined) this.start(again, work);
  }

  /** Two orders that lead to the same text continue in the same ways. */
  key(): string {
    const actors = this.actors.map(({ name, history, isDone, calls }) => [name, history, isDone, calls]).toSorted();
    const rows = Object.values(this.state).map((table) => [...table].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return digest(JSON.stringify([actors, rows, this.token, this.answers, this.crashed.toSorted()]));
  }
}

export interface Explored {
  readonly states: number;
  readonly ends: number;
  readonly problems: readonly string[];
}

/** A beginning of an order: its choices, and how often an actor was interrupted that could have gone on. */
interface Path {
  readonly choices: readonly string[];
  readonly interruptions: number;
}

const isCrash = (choice: string): boolean => choice.startsWith('crash ');

/** The ways to go on. Neither a crash nor a choice after the end of an actor is an interruption. */
function continuations({ choices, interruptions }: Path, possible: readonly string[]): Path[] {
  const last = choices.at(-1);
  const isOpen = last !== undefined && possible.includes(last);
  const cost = (choice: string) => (isOpen && choice !== last && !isCrash(choice) ? 1 : 0);
  return possible
    .toSorted((a, b) => cost(a) - cost(b))
    .map((choice) => ({ choices: [...choices, choice], interruptions: interruptions + cost(choice) }));
}

/**
 * Tries the orders of the calls of a model with at most `maxInterruptions` interruptions of one actor by another, until
 * an order ends with a problem. An order that reaches a known state is not continued.
 */
export async function exploreOrders(model: Model, maxInterruptions: number): Promise<Explored> {
  const seen = new Set<string>();
  const open: Path[] = [{ choices: [], interruptions: 0 }];
  const problems: string[] = [];
  let ends = 0;
  for (let path = open.pop(); path !== undefined && problems.length === 0; path = open.pop()) {
    const world = new OrderedWorld(model);
    await world.settle();
    for (const choice of path.choices) await world.choose(choice);
    for (let current: Path | undefined = path; current !== undefined; ) {
      const key = `${world.key()} ${current.choices.at(-1)} ${current.interruptions}`;
      if (seen.has(key)) break;
      seen.add(key);
      const possible = world.choices();
      if (possible.length === 0) {
        ends += 1;
        const taken = current.choices.join(', ');
        problems.push(...(await model.check(world)).map((problem) => `${problem} after ${taken}`));
      }
      const ways: readonly Path[] = continuations(current, possible).filter(
        (way) => way.interruptions <= maxInterruptions,
      );
      const [first, ...others] = ways;
      open.push(...others);
      const choice = first?.choices.at(-1);
      if (choice !== undefined) await world.choose(choice);
      current = first;
    }
  }
  return { states: seen.size, ends, problems };
}
