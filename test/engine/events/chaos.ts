import { setImmediate as rest } from 'node:timers/promises';
import { noContainers } from '../../../lib/adapters/aws/containers/no-containers.ts';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Listening } from '../../../lib/domain/runs/waits.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { receive, replay } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/events/router.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { execute } from '../../../lib/engine/start/start.ts';
import { type Outcome, type StepInput, step } from '../../../lib/engine/step/step.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Answer, Executions } from '../../../lib/ports/executions.ts';
import type { Item, Write } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { ProcessDiedError } from '../world/mortal.ts';

/** A random number in [0, 1), from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMESPACE = 'chaos';
const BEGIN = Date.UTC(2026, 5, 1, 12);
const DEATHS = 0.15;
const LONGEST_LIFE = 8;
const TWICE = 0.15;

/** What is kept when a world ends: what its waits knew, and what was recorded of its events. */
export interface Wait {
  readonly run: string;
  readonly pause: number;
  readonly listening: Listening;
}

export interface RunItem {
  readonly id: string;
  readonly status: string;
  readonly code: string;
  readonly data: Readonly<Record<string, { readonly id?: string } | undefined>>;
  readonly pause: number;
  readonly path: string;
}

/** A world before anything happens, and what its ids begin with. */
export interface Beginning {
  readonly table: MemoryTable;
  readonly prefix: string;
}

let beginnings = 0;

/** A namespace with workflows. Many worlds begin from it. */
export async function prepare(sources: Readonly<Record<string, string>>, lookback: string): Promise<Beginning> {
  beginnings += 1;
  const prefix = (2 * beginnings).toString(16).padStart(8, '0');
  const chaos = new Chaos({ table: new MemoryTable(), prefix }, () => 0);
  const { ports } = chaos;
  await namespaces.create(ports, NAMESPACE);
  await namespaces.configure(ports, NAMESPACE, { events: { lookback } });
  for (const [path, source] of Object.entries(sources)) await workflows.create(ports, NAMESPACE, `/${path}`, source);
  return { table: chaos.table, prefix: (2 * beginnings + 1).toString(16).padStart(8, '0') };
}

/**
 * The engine, the bus, the router and the machines of runs over one table in memory. Whoever calls a port waits for its
 * turn, and whose turn it is, is random: so is who dies at which of its writes, what is delivered twice or late, and
 * which wait is over before its event. All follows from the random numbers given.
 */
export class Chaos {
  readonly ports: RunnerPorts;
  readonly waits = new Map<string, Wait>();
  readonly runs = new Map<string, RunItem>();
  /** When each recorded event went out, milliseconds since 1970. */
  readonly due = new Map<string, number>();
  /** When events went out again, and which of those ways ended with everybody served. */
  readonly replays = new Map<string, { readonly due: number; readonly routed: boolean }>();
  readonly faults: unknown[] = [];
  /** How often a process was found dead. */
  deaths = 0;
  /** The machines that were started. */
  readonly started = new Set<string>();
  readonly table: MemoryTable;
  private readonly prefix: string;
  private readonly random: () => number;
  private readonly turns: (() => void)[] = [];
  private readonly tasks = new Map<string, (answer: Answer) => void>();
  private readonly blobs = memoryBlobs();
  private now = BEGIN;
  private ids = 0;
  /** False: ports answer at once, and nobody dies. */
  private isWild = false;

  constructor({ table, prefix }: Beginning, random: () => number) {
    this.table = table.copy();
    this.prefix = prefix;
    this.random = random;
    this.ports = this.portsOf();
  }

  private chance(probability: number): boolean {
    return this.random() < probability;
  }

  private turn(): Promise<void> {
    if (!this.isWild) return Promise.resolve();
    return new Promise((resolve) => this.turns.push(resolve));
  }

  /** The ports of one process, which may die at one of its moves. */
  private portsOf(): RunnerPorts {
    let left = this.isWild && this.chance(DEATHS) ? Math.floor(this.random() * LONGEST_LIFE) : Number.POSITIVE_INFINITY;
    const isLate = this.isWild && this.chance(0.5);
    const need = () => {
      if (left >= 0) return;
      this.deaths += 1;
      throw new ProcessDiedError('the process died');
    };
    const read = async <T>(work: () => Promise<T>): Promise<T> => {
      await this.turn();
      need();
      return work();
    };
    const move = async <T>(work: () => Promise<T>): Promise<T> => {
      await this.turn();
      need();
      left -= 1;
      if (!isLate) need();
      const result = await work();
      await this.turn();
      need();
      return result;
    };
    const { table, blobs } = this;
    return {
      settings: { brand: 'service', version: 'v0' },
      table: {
        get: (keys) => read(() => table.get(keys)),
        query: (query) => read(() => table.query(query)),
        write: (writes) => move(() => this.write(writes)),
      },
      blobs: {
        get: (key) => read(() => blobs.get(key)),
        put: (key, bytes) => move(() => blobs.put(key, bytes)),
        remove: (prefix) => move(() => blobs.remove(prefix)),
      },
      executions: this.executionsOf(move),
      bus: {
        publish: (messages) => move(async () => messages.forEach((message) => void this.deliver(message))),
        publishAt: (_at, _name, message) => move(async () => void this.deliver(message)),
      },
      schedules: { problemOf: () => undefined, set: async () => {}, remove: async () => {} },
      sealer: localSealer(),
      containers: noContainers('none in this test'),
      clock: { now: () => this.tick(), uuid: () => this.uuid(), secret: () => 'secret' },
    };
  }

  /** Time moves at some looks at it, so that things happen in one millisecond, or in another order than their times. */
  private tick(): number {
    if (this.isWild && this.chance(0.4)) this.now += 1;
    return this.now;
  }

  private uuid(): string {
    this.ids += 1;
    return `${this.prefix}-0000-7000-8000-${String(this.ids).padStart(12, '0')}`;
  }

  private executionsOf(move: <T>(work: () => Promise<T>) => Promise<T>): Executions {
    return {
      define: async ({ name }) => name,
      start: (_handle, name, input) =>
        move(async () => {
          if (this.started.has(name)) return;
          this.started.add(name);
          void this.drive(name, (input as { run: string }).run);
        }),
      stop: async () => {},
      answer: (token, answer) =>
        move(async () => {
          const resolve = this.tasks.get(token);
          this.tasks.delete(token);
          resolve?.(answer);
          return resolve !== undefined;
        }),
    };
  }

  private async write(writes: readonly Write[]): Promise<void> {
    await this.table.write(writes);
    for (const write of writes) {
      if (write.do === 'put') this.note(write.item);
      const again =
        write.do === 'update' && write.set?.['routed'] === true ? this.replays.get(write.key.sk) : undefined;
      if (again !== undefined && write.do === 'update') this.replays.set(write.key.sk, { ...again, routed: true });
    }
  }

  private note(item: Item): void {
    if (item['replay'] !== undefined) this.replays.set(item.sk, { due: Number(item['due']), routed: false });
    else if (item.pk.startsWith('events#')) {
      this.due.set((JSON.parse(String(item['event'])) as CloudEvent).id, Number(item['due']));
    }
    if (!item.pk.startsWith('run#')) return;
    const id = String(item['id']);
    const place = JSON.parse(String(item['place'])) as {
      pauses: number;
      pause?: { number: number; listening?: Listening };
    };
    const { pause } = place;
    if (pause?.listening !== undefined) {
      this.waits.set(`${id} ${pause.number}`, { run: id, pause: pause.number, listening: pause.listening });
    }
    this.runs.set(id, {
      id,
      status: String(item['status']),
      code: String(item['code']),
      data: JSON.parse(String(item['data'])),
      pause: pause?.number ?? 0,
      path: String(item['path']),
    });
  }

  /** As a process that is begun again as long as it dies; what it fails by otherwise is a fault. */
  private async persist<T>(work: (ports: RunnerPorts) => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work(this.portsOf());
      } catch (error) {
        if (error instanceof ProcessDiedError || (error as Error).name === 'Weft.Again') continue;
        // A failed run's step throws its code; a second event of an id is refused.
        const isSecond = error instanceof ServiceError && error.code === 'exists';
        const isExpected = isSecond || (error as Error).name.startsWith('service.');
        if (!isExpected) this.faults.push(error);
        return undefined;
      }
    }
  }

  private async deliver(message: Message): Promise<void> {
    const times = this.chance(TWICE) ? 2 : 1;
    for (let time = 0; time < times; time += 1) void this.persist((ports) => route(ports, message));
  }

  /** Steps as a state machine does: a segment, a wait, the next segment. */
  private async drive(name: string, run: string): Promise<void> {
    let input: StepInput = { run, execution: name };
    for (;;) {
      const outcome = await this.call(input);
      if (outcome === undefined || outcome.next === '') return;
      const brought = await this.wait(run, outcome.pause);
      input = { run, execution: name, resume: outcome.pause, with: brought };
    }
  }

  private call(input: StepInput): Promise<Outcome | undefined> {
    if (this.isWild && this.chance(TWICE)) void this.persist((ports) => step(ports, input));
    return this.persist((ports) => step(ports, input));
  }

  /** A task that waits: each try has a token of its own, and it may be over before an answer comes. */
  private wait(run: string, pause: number): Promise<object> {
    return new Promise((resolve) => {
      const listen = async (ports: RunnerPorts) => {
        const token = `token-${this.ids++}`;
        this.tasks.set(token, (answer) => resolve('output' in answer ? (answer.output as object) : answer));
        await step(ports, { run, listen: pause, token });
      };
      void this.persist(listen);
      if (this.mayTimeOut && this.chance(0.3)) void this.timeOut(resolve);
    });
  }

  mayTimeOut = false;

  private async timeOut(resolve: (brought: object) => void): Promise<void> {
    for (let turns = Math.floor(this.random() * 60); turns > 0; turns -= 1) await this.turn();
    resolve({ error: 'States.Timeout', cause: '' });
  }

  /** A client who sends an event again until it hears of it. */
  async send(event: CloudEvent): Promise<void> {
    await this.persist(async (ports) => receive(ports, await namespaces.need(ports, NAMESPACE), event));
  }

  /** Somebody who asks for an event once more, whatever becomes of the request; it may not have come yet. */
  async replay(id: string): Promise<void> {
    try {
      await replay(this.portsOf(), await namespaces.need(this.ports, NAMESPACE), id);
    } catch (error) {
      if (!(error instanceof ProcessDiedError || error instanceof ServiceError)) this.faults.push(error);
    }
  }

  /** A client who starts a run until it hears of it, with a key. */
  async begin(path: string, key: string): Promise<void> {
    const invocation = { namespace: NAMESPACE, path: `/${path}`, ref: '', input: Buffer.from('{}'), key };
    await this.persist((ports) => execute(ports, invocation));
  }

  /** Lets one after the other have its turn, in random order, until nobody wants one. */
  async run(mayTimeOut: boolean, actors: readonly (() => Promise<void>)[]): Promise<void> {
    this.isWild = true;
    this.mayTimeOut = mayTimeOut;
    for (const actor of actors) void this.turn().then(actor);
    await rest();
    while (this.turns.length > 0) {
      const [next] = this.turns.splice(Math.floor(this.random() * this.turns.length), 1);
      next?.();
      await rest();
    }
  }
}
