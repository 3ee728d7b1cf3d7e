import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import { type LocalExecutions, localExecutions } from '../../../lib/adapters/local/executions/executions.ts';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import type { KeeperPorts, RunnerPorts } from '../../../lib/engine/ports.ts';
import { noteEnd } from '../../../lib/engine/recovery/lifecycle.ts';
import { sweep } from '../../../lib/engine/recovery/sweep.ts';
import { execute } from '../../../lib/engine/start/start.ts';
import { type Outcome, type StepInput, step } from '../../../lib/engine/step/step.ts';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Containers } from '../../../lib/ports/containers.ts';
import type { Happened, Measure } from '../../../lib/ports/meter.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';
import {
  type Death,
  Died,
  Life,
  mortalBlobs,
  mortalContainers,
  mortalExecutions,
  mortalTable,
  unwatchJournal,
  watchJournal,
} from './mortal.ts';
import { QuietTime } from './quiet-time.ts';

/** How the machines' calls reach the steps function; the tests deliver them twice, or late. */
export type Deliver = (input: StepInput, step: (input: StepInput) => Promise<Outcome>) => Promise<Outcome>;

export interface WorldOptions {
  readonly death?: Death | undefined;
  readonly deliver?: Deliver;
  /** Milliseconds that pass at each look at the clock. */
  readonly pace?: number;
  /** What runs containers, whichever process lives. */
  readonly containers?: Containers;
  /** Whether the journal's transactions count as durable moves. */
  readonly countsJournal?: boolean;
}

/** A database for many worlds, one after the other: each has a namespace of its own and takes it away at the end. */
export const openDatabase = (): Promise<LocalTable> => openLocalTable();

const FAR = Date.UTC(2100, 0, 1);
const TURNS_TO_REST = 12;
/** A run that was lost is repaired when nothing has been seen of it for so long, milliseconds. */
const LOST_MS = 331_000;
const RESTART_MS = 1_500;

let worlds = 0;

/** A dead process answers nobody, not even with an error. */
async function unlessOver<T>(life: Life, work: () => Promise<T>): Promise<T> {
  try {
    return await life.work(work);
  } catch (error) {
    if (error instanceof Died) await new Promise(() => {});
    throw error;
  }
}

/** The engine in this process over virtual time. It can die, and go on as a new process over what was stored. */
export class World {
  readonly namespace: string;
  readonly time: QuietTime;
  readonly database: LocalTable;
  readonly blobs: Blobs = memoryBlobs();
  readonly containers: Containers;
  /** The executions that were started: name -> handle of the machine. */
  readonly started = new Map<string, string>();
  /** When the calls of each execution came: name -> the first and the last, milliseconds since 1970. */
  readonly spans = new Map<string, readonly [number, number]>();
  /** What was counted, added up; not what took time. */
  readonly counted: Partial<Record<Measure, number>> = {};
  /** How often each run was committed as ended: id -> times. */
  readonly endings = new Map<string, number>();
  life: Life;
  ports: RunnerPorts & KeeperPorts;
  executions: LocalExecutions;
  private readonly folder = mkdtempSync(join(tmpdir(), 'engine-'));
  private readonly options: WorldOptions;
  private processes = 0;
  private journal!: LocalDatabase;

  constructor(database: LocalTable, options: WorldOptions = {}) {
    this.namespace = `world-${++worlds}`;
    this.database = database;
    this.options = options;
    this.time = new QuietTime(options.pace);
    this.containers = options.containers ?? new ScriptedContainers();
    [this.life, this.executions, this.ports] = this.begin(options.death);
  }

  private fileOf(process: number): string {
    return join(this.folder, `executions-${process}.db`);
  }

  /** What is on the disk at this moment is what the next process finds. */
  private keepJournal(): void {
    const [from, to] = [this.fileOf(this.processes), this.fileOf(this.processes + 1)];
    for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }

  private begin(death?: Death): [Life, LocalExecutions, World['ports']] {
    const life = new Life(death, () => this.keepJournal());
    const file = this.fileOf(this.processes);
    if (this.options.countsJournal) watchJournal(file, life);
    const deliver = this.options.deliver ?? ((input, go) => go(input));
    const { clock, alarm } = this.time;
    this.journal = new LocalDatabase({ file, sync: 'normal' });
    const executions = localExecutions({
      database: this.journal,
      clock,
      alarm,
      invoke: (_name, payload) => {
        this.noteCall(payload as { readonly execution: string });
        return unlessOver(life, () => deliver(payload as StepInput, (input) => step(ports, input)));
      },
      onEnd: ({ name, status, error = '', cause = '' }) =>
        unlessOver(life, () => noteEnd(ports, { name, status, error, cause })),
    });
    const ports: World['ports'] = {
      settings: { brand: 'service', version: 'v0' },
      table: this.counting(mortalTable(life, this.database.table)),
      blobs: mortalBlobs(life, this.blobs),
      executions: this.remembering(mortalExecutions(life, executions)),
      bus: { publish: async () => {}, publishAt: async () => {} },
      schedules: { problemOf: () => undefined, set: async () => {}, remove: async () => {} },
      sealer: localSealer(),
      containers: mortalContainers(life, this.containers),
      clock,
      meter: { note: (happened) => this.count(happened) },
    };
    return [life, executions, ports];
  }

  private noteCall({ execution }: { readonly execution: string }): void {
    const now = this.time.clock.now();
    this.spans.set(execution, [this.spans.get(execution)?.[0] ?? now, now]);
  }

  private count(happened: Happened): void {
    for (const [name, value] of Object.entries(happened)) {
      const measure = name as Measure;
      if (measure !== 'RunMilliseconds') this.counted[measure] = (this.counted[measure] ?? 0) + value;
    }
  }

  private counting(table: Ports['table']): Ports['table'] {
    return {
      ...table,
      write: async (writes) => {
        await table.write(writes);
        for (const write of writes) {
          if (write.do !== 'put' || (write.item['status'] ?? 'pending') === 'pending') continue;
          const id = String(write.item['id']);
          this.endings.set(id, (this.endings.get(id) ?? 0) + 1);
        }
      },
    };
  }

  private remembering(executions: Ports['executions']): Ports['executions'] {
    return {
      ...executions,
      start: (handle, name, input) => {
        this.started.set(name, handle);
        return executions.start(handle, name, input);
      },
    };
  }

  /** Ports that never die. */
  get immortal(): RunnerPorts {
    return {
      ...this.ports,
      table: this.database.table,
      blobs: this.blobs,
      executions: this.executions,
      containers: this.containers,
    };
  }

  /** Makes the namespace and stores the workflows in it, directories and all. */
  async store(sources: Readonly<Record<string, string>>): Promise<void> {
    await namespaces.create(this.immortal, this.namespace);
    for (const [path, source] of Object.entries(sources)) {
      const folders = path.split('/').slice(0, -1);
      for (const [index] of folders.entries()) {
        const folder = `/${folders.slice(0, index + 1).join('/')}`;
        await tree.createDirectory(this.immortal, this.namespace, folder).catch(() => undefined);
      }
      await workflows.create(this.immortal, this.namespace, `/${path}`, source);
    }
  }

  execute(path: string, input: string): Promise<Run> {
    const invocation = { namespace: this.namespace, path: `/${path}`, ref: '', input: Buffer.from(input) };
    return this.life.work(async () => (await execute(this.ports, invocation)).run);
  }

  /** Resolves when nothing is at work but waits for times and answers. */
  private async rest(): Promise<void> {
    let isIdle = false;
    for (let turns = 0; turns < TURNS_TO_REST && !(isIdle && this.life.busy === 0) && !this.life.isOver; turns += 1) {
      if (this.life.busy > 0) turns = 0;
      isIdle = false;
      this.executions.idle().then(
        () => {
          isIdle = true;
        },
        () => undefined,
      );
      await turn();
    }
  }

  /** Lets time pass until nothing is to come any more, or up to that instant, or until the process is dead. */
  async pass(limit = FAR): Promise<void> {
    do await this.rest();
    while (!this.life.isOver && this.time.jump(limit));
  }

  /** A new process over what the dead one stored; it begins as the service does. */
  async resume(death?: Death): Promise<void> {
    while (this.life.busy > 0) await turn();
    await this.executions.close();
    await this.journal.close();
    unwatchJournal(this.fileOf(this.processes));
    this.processes += 1;
    this.time.moveOn(RESTART_MS);
    [this.life, this.executions, this.ports] = this.begin(death);
    await this.executions.resume();
    await this.life.work(() => sweep(this.ports));
  }

  /** The sweep that comes when a lost run has been still for long enough. */
  async sweepLater(): Promise<void> {
    this.time.moveOn(LOST_MS);
    await this.life.work(() => sweep(this.ports));
  }

  async close(): Promise<void> {
    await this.executions.close();
    await this.journal.close();
    unwatchJournal(this.fileOf(this.processes));
    rmSync(this.folder, { recursive: true, force: true });
    const key = { table: 'catalog', pk: 'namespaces', sk: this.namespace } as const;
    await this.database.table.write([{ do: 'delete', key }]);
  }
}
