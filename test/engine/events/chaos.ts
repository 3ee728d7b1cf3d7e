import { setImmediate as rest } from 'node:timers/promises';
import { noContainers } from '../../../lib/adapters/aws/containers/no-containers.ts';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import type { Outcome } from '../../../lib/compiler/emit/task-protocol.ts';
import { TASK_ERROR } from '../../../lib/compiler/emit/task-protocol.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { recordFrom } from '../../../lib/domain/runs/records.ts';
import { find } from '../../../lib/domain/runs/runs.ts';
import type { Listening } from '../../../lib/domain/runs/waits.ts';
import { runIdIn } from '../../../lib/domain/storage/keys.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive, replay } from '../../../lib/engine/events/broadcasting.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { type StepInput, step } from '../../../lib/engine/tasks/step.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Answer, Executions } from '../../../lib/ports/executions.ts';
import type { Item, Write } from '../../../lib/ports/table.ts';
import type { Timer } from '../../../lib/ports/timers.ts';
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/units.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { ProgrammedLambdas } from '../../contract/programmed-lambdas.ts';
import { ProgrammedSecrets } from '../../contract/programmed-secrets.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import { CrashedError } from '../world/crashing-ports.ts';

/** The input of an execution. */
type MachineInput = { readonly run: string } & (Outcome | { readonly next?: never });

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
const CRASHES = 0.15;
const MAX_WRITES_OF_A_PROCESS = 8;
const TWICE = 0.15;
const EARLY = 0.2;
/** The ids of states with a delay begin so. */
const SLEEPS = 'nap';

/** A wait as its run stored it last, with the events that the run took when it left it. */
export interface ObservedWait {
  readonly run: string;
  readonly number: number;
  /** The visit of its state. */
  readonly step: number;
  readonly listening: Listening;
}

/** The events that a wait received, by its filters: those of a visit in the record of a run. */
const receivedFrom = ({ filters }: Listening, ids: readonly string[]): Listening['received'] =>
  filters.map((_, slot) => (ids[slot] === undefined ? null : JSON.stringify({ id: ids[slot] })));

export interface RunItem {
  readonly id: string;
  readonly status: string;
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  readonly data: Readonly<Record<string, { readonly id?: string } | undefined>>;
  readonly wait: number;
  readonly path: string;
}

/** The stored state in which worlds begin, and the prefix of their ids. */
export interface Beginning {
  readonly table: MemoryTable;
  readonly prefix: string;
}

let beginnings = 0;

/** Stores a namespace with workflows, in which many worlds begin. */
export async function prepare(
  sources: Readonly<Record<string, string>>,
  lookback: string,
  partitions = 1,
): Promise<Beginning> {
  beginnings += 1;
  const prefix = (2 * beginnings).toString(16).padStart(8, '0');
  const chaos = new Chaos({ table: new MemoryTable(), prefix }, () => 0);
  const { ports } = chaos;
  await namespaces.create(ports, NAMESPACE);
  await configure(ports, NAMESPACE, { events: { lookback }, partitions });
  for (const [path, source] of Object.entries(sources)) await workflows.create(ports, NAMESPACE, `/${path}`, source);
  return { table: chaos.table, prefix: (2 * beginnings + 1).toString(16).padStart(8, '0') };
}

/** More polls of the event loop than a batch needs. */
const MAX_POLLS = 20;

/**
 * The engine, the bus, the router and the machines of runs over one table in memory. Every call to a port is queued,
 * and the queue is served in random order. Crashes of processes at writes, messages that are delivered twice or late,
 * and waits that time out before their events are random too. All choices are derived from the given random numbers.
 */
export class Chaos {
  readonly ports: RunnerPorts;
  readonly waits = new Map<string, ObservedWait>();
  readonly runs = new Map<string, RunItem>();
  /** When each recorded event was published, milliseconds since 1970. */
  readonly due = new Map<string, number>();
  /** When each replay was published, and whether it was delivered to all listeners. */
  readonly replays = new Map<string, { readonly due: number; readonly routed: boolean }>();
  readonly faults: unknown[] = [];
  /** How often timers rang. */
  rings = 0;
  /** How many calls met a crashed process. */
  crashes = 0;
  /** The machines that were started. */
  readonly started = new Set<string>();
  readonly table: MemoryTable;
  private readonly prefix: string;
  private readonly random: () => number;
  private readonly turns: (() => void)[] = [];
  private readonly tasks = new Map<string, (answer: Answer) => void>();
  /** The names of the timers that were set. */
  private readonly timers = new Set<string>();
  private readonly blobs = memoryBlobs();
  private now = BEGIN;
  private ids = 0;
  /** False: ports answer at once, and no process crashes. */
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

  /** The ports of one process, which may crash at one of its durable operations. */
  private portsOf(): RunnerPorts {
    let left =
      this.isWild && this.chance(CRASHES)
        ? Math.floor(this.random() * MAX_WRITES_OF_A_PROCESS)
        : Number.POSITIVE_INFINITY;
    const isLate = this.isWild && this.chance(0.5);
    const need = () => {
      if (left >= 0) return;
      this.crashes += 1;
      throw new CrashedError('the process crashes');
    };
    const read = async <T>(work: () => Promise<T>): Promise<T> => {
      await this.turn();
      need();
      return work();
    };
    const durable = async <T>(work: () => Promise<T>): Promise<T> => {
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
        write: (writes) => durable(() => this.write(writes)),
      },
      blobs: {
        get: (key) => read(() => blobs.get(key)),
        put: (key, bytes) => durable(() => blobs.put(key, bytes)),
        remove: (prefix) => durable(() => blobs.remove(prefix)),
        delete: (keys) => durable(() => blobs.delete(keys)),
        list: (prefix, after) => read(() => blobs.list(prefix, after)),
      },
      executions: this.executionsOf(durable),
      bus: {
        publish: (messages) => durable(async () => messages.forEach((message) => void this.deliver(message))),
        publishAt: (_at, _name, message) => durable(async () => void this.deliver(message)),
      },
      schedules: { problemOf: () => undefined, set: async () => {}, remove: async () => {} },
      timers: { set: (timer) => durable(async () => this.setTimer(timer)) },
      sealer: localSealer(),
      externalSecrets: new ProgrammedSecrets(),
      web: new ProgrammedWeb(),
      lambdas: new ProgrammedLambdas(),
      containers: noContainers('none in this test'),
      clock: { now: () => this.tick(), uuid: () => this.uuid(), secret: () => 'secret' },
    };
  }

  /** Time advances at some reads of the clock, so that operations share a millisecond, or have times out of order. */
  private tick(): number {
    if (this.isWild && this.chance(0.4)) this.now += 1;
    return this.now;
  }

  private uuid(): string {
    this.ids += 1;
    return `${this.prefix}-0000-7000-8000-${String(this.ids).padStart(12, '0')}`;
  }

  private executionsOf(durable: <T>(work: () => Promise<T>) => Promise<T>): Executions {
    return {
      define: async ({ name }) => name,
      remove: async () => {},
      start: (_handle, name, input) =>
        durable(async () => {
          if (this.started.has(name)) return true;
          this.started.add(name);
          void this.drive(name, input as MachineInput);
          return true;
        }),
      isRunning: async (_handle, name) => this.started.has(name),
      stop: async () => {},
      answer: (token, answer) =>
        durable(async () => {
          const resolve = this.tasks.get(token);
          this.tasks.delete(token);
          resolve?.(answer);
          return resolve !== undefined;
        }),
    };
  }

  /** A timer rings once or twice, at any time from now on: the clock jumps to its time, or to a minute before. */
  private setTimer({ name, at, input }: Timer): boolean {
    if (this.timers.has(name)) return true;
    this.timers.add(name);
    const times = this.chance(TWICE) ? 2 : 1;
    const early = this.chance(EARLY) ? MINUTE_MS - 1 : 0;
    for (let time = 0; time < times; time += 1) void this.ring(at - early, input as StepInput);
    return true;
  }

  private async ring(at: number, input: StepInput): Promise<void> {
    await this.pause(30);
    this.now = Math.max(this.now, at);
    this.rings += 1;
    await this.persist((ports) => step(ports, input));
  }

  private async pause(maxTurns: number): Promise<void> {
    for (let turns = Math.floor(this.random() * maxTurns); turns > 0; turns -= 1) await this.turn();
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
    else if (/^events(?:-\d+)?#/.test(item.pk) && item['event'] !== undefined) {
      this.due.set((JSON.parse(String(item['event'])) as CloudEvent).id, Number(item['due']));
    }
    if (!item.pk.startsWith('run#')) return;
    const id = runIdIn(item.pk);
    const place = JSON.parse(String(item['place'])) as {
      pauses: number;
      pause?: { number: number; listening?: Listening };
    };
    const { pause } = place;
    if (pause?.listening !== undefined) {
      const wait = { run: id, number: pause.number, step: Number(item['step']), listening: pause.listening };
      this.waits.set(`${id} ${pause.number}`, wait);
    }
    this.noteTaken(id, item);
    this.runs.set(id, {
      id,
      status: String(item['status']),
      code: String(item['code'] ?? ''),
      created: Number(item['created']),
      updated: Number(item['updated']),
      data: JSON.parse(String(item['data'])),
      wait: pause?.number ?? 0,
      path: String(item['path'] ?? item['as']),
    });
  }

  /** The commit by which a run leaves a wait has the events that it took only in the record. */
  private noteTaken(id: string, { record, created }: Item): void {
    if (typeof record !== 'string') return;
    for (const { n, events } of recordFrom(record, Number(created)).steps) {
      if (events === undefined) continue;
      for (const [name, wait] of this.waits) {
        if (wait.run !== id || wait.step !== n) continue;
        const received = receivedFrom(wait.listening, events);
        this.waits.set(name, { ...wait, listening: { ...wait.listening, received } });
      }
    }
  }

  /** Runs work in a process that is started again after each crash. Any other error is a fault. */
  private async persist<T>(work: (ports: RunnerPorts) => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work(this.portsOf());
      } catch (error) {
        if (error instanceof CrashedError || (error as Error).name === 'Weft.Again') continue;
        // The step of a failed run throws its code; a second event with an id is rejected.
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

  /** Calls the step as a state machine does: a wait, the next batch. A machine begins with a batch or at a wait. */
  private async drive(name: string, { run, ...beginning }: MachineInput): Promise<void> {
    let outcome = beginning.next === undefined ? await this.call({ run, execution: name }) : beginning;
    while (outcome !== undefined && outcome.next !== '') {
      const output: object = await this.wait(run, outcome);
      const resumption = { run, execution: name, resume: outcome.pause, with: output };
      outcome = 'next' in output ? (output as Outcome) : await this.call(resumption);
    }
  }

  private call(input: StepInput): Promise<Outcome | undefined> {
    if (this.isWild && this.chance(TWICE)) void this.persist((ports) => step(ports, input));
    return this.persist((ports) => step(ports, input));
  }

  /** A task that waits: each attempt has a token of its own, and it may time out before an answer comes. */
  private wait(run: string, { next, pause }: Outcome): Promise<object> {
    const isSleep = next.startsWith(SLEEPS);
    return new Promise((resolve) => {
      const begin = async (ports: RunnerPorts) => {
        const token = `token-${this.ids++}`;
        this.tasks.set(token, (answer) => resolve('output' in answer ? (answer.output as object) : this.rest(answer)));
        await step(ports, isSleep ? { run, sleep: pause, token } : { run, listen: pause, token });
      };
      void this.persist(begin);
      if (this.mayTimeOut && !isSleep && this.chance(0.3)) void this.timeOut(resolve);
    });
  }

  /** Waits, as a machine does, for the rest of a delay whose timer rang early. */
  private rest(answer: Extract<Answer, { readonly error: string }>): object {
    if (answer.error !== TASK_ERROR.rest) return answer;
    const { seconds } = JSON.parse(answer.cause) as { readonly seconds: number };
    this.now += seconds * SECOND_MS;
    return { seconds };
  }

  mayTimeOut = false;

  private async timeOut(resolve: (output: object) => void): Promise<void> {
    await this.pause(60);
    resolve({ error: 'States.Timeout', cause: '' });
  }

  /** A client that sends an event until it gets a response. */
  async send(event: CloudEvent): Promise<void> {
    await this.persist(async (ports) => receive(ports, await namespaces.need(ports, NAMESPACE), event));
  }

  /** A client that asks once for a replay of an event, which may not be recorded yet. */
  async replay(id: string): Promise<void> {
    try {
      await replay(this.portsOf(), await namespaces.need(this.ports, NAMESPACE), id);
    } catch (error) {
      if (!(error instanceof CrashedError || error instanceof ServiceError)) this.faults.push(error);
    }
  }

  /** A client that starts a run, with an idempotency key, until it gets a response. */
  async begin(path: string, key: string): Promise<void> {
    const invocation = { namespace: NAMESPACE, path: `/${path}`, ref: '', input: Buffer.from('{}'), key };
    await this.persist((ports) => execute(ports, invocation));
  }

  /** An administrator who gives the namespace more partitions at some time. */
  async grow(partitions: number): Promise<void> {
    await this.pause(60);
    await this.persist((ports) => configure(ports, NAMESPACE, { partitions }));
  }

  /** A client that cancels the runs which are there at some time. */
  async cancel(): Promise<void> {
    await this.pause(60);
    for (const { id } of [...this.runs.values()]) {
      await this.persist(async (ports) => {
        const run = await find(ports, id);
        if (run?.status === 'pending') await cancel(ports, run);
      });
    }
  }

  /** Serves the queue in random order until it is empty. */
  async run(mayTimeOut: boolean, actors: readonly (() => Promise<void>)[]): Promise<void> {
    this.isWild = true;
    this.mayTimeOut = mayTimeOut;
    for (const actor of actors) void this.turn().then(actor);
    await this.settle();
    while (this.turns.length > 0) {
      const [next] = this.turns.splice(Math.floor(this.random() * this.turns.length), 1);
      next?.();
      await this.settle();
    }
  }

  /** Lets the processes go on to their next turns; a batch may wait for some polls of the event loop before. */
  private async settle(): Promise<void> {
    await rest();
    for (let polls = 0; polls < MAX_POLLS && this.turns.length === 0; polls += 1) await rest();
  }
}
