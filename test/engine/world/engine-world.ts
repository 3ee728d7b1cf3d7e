import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import { type LocalExecutions, localExecutions } from '../../../lib/adapters/local/executions/executions.ts';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { type LocalTimers, localTimers } from '../../../lib/adapters/local/timers.ts';
import { STEPS_FUNCTION } from '../../../lib/compiler/emit/emit.ts';
import type { Outcome } from '../../../lib/compiler/emit/task-protocol.ts';
import { secretSourcesIn } from '../../../lib/domain/credentials/references.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { runIdIn } from '../../../lib/domain/storage/keys.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { invokeAsTask } from '../../../lib/engine/lambdas/machine.ts';
import type { CleanupPorts, RunnerPorts } from '../../../lib/engine/ports.ts';
import { onExecutionEnd } from '../../../lib/engine/recovery/lifecycle.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { sweep } from '../../../lib/engine/recovery/sweep.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { throwTaskError } from '../../../lib/engine/tasks/results.ts';
import { type StepInput, step, withoutAttempt } from '../../../lib/engine/tasks/step.ts';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Lambdas } from '../../../lib/ports/callees/lambdas.ts';
import type { Web } from '../../../lib/ports/callees/web.ts';
import type { Containers } from '../../../lib/ports/containers.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import type { Schedule, Schedules } from '../../../lib/ports/schedules.ts';
import type { Happened, Measure } from '../../../lib/ports/telemetry/meter.ts';
import { ProgrammedLambdas } from '../../contract/programmed-lambdas.ts';
import { ProgrammedSecrets } from '../../contract/programmed-secrets.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';
import {
  type Crash,
  CrashedError,
  crashingBlobs,
  crashingBus,
  crashingContainers,
  crashingExecutions,
  crashingLambdas,
  crashingSchedules,
  crashingTable,
  crashingTimers,
  crashingWeb,
  SimulatedProcess,
  unwatchJournal,
  watchJournal,
} from './crashing-ports.ts';
import { HeldMessages } from './held-messages.ts';
import { VirtualTime } from './virtual-time.ts';

/** How the calls of state machines reach the steps function: tests deliver them twice, or late. */
export type Deliver = (input: StepInput, step: (input: StepInput) => Promise<Outcome>) => Promise<Outcome>;

export interface WorldOptions {
  readonly crash?: Crash | undefined;
  readonly deliver?: Deliver;
  /** The milliseconds by which the clock advances each time it is read. */
  readonly msPerRead?: number;
  /** The port of containers, which outlives processes. */
  readonly containers?: Containers;
  /** The servers that workflows call, which outlive processes. */
  readonly web?: Web;
  /** The functions of Lambda that workflows invoke, which outlive processes. */
  readonly lambdas?: Lambdas;
  /** Whether transactions of the executions' journal count as durable operations. */
  readonly countsJournal?: boolean;
  /** Where runs wait; by default at states of machines. */
  readonly waits?: 'machine' | 'table' | undefined;
}

/** A database for many worlds in sequence. Each world has a namespace of its own and deletes it at the end. */
export const openDatabase = (): Promise<LocalTable> => openLocalTable();

const FAR = Date.UTC(2100, 0, 1);
const TURNS_TO_SETTLE = 12;
const ENDED = new Set(['complete', 'failed', 'crashed']);
/** A run without a commit for this long may be taken over. */
const LEASE_MS = 61_000;
const RESTART_MS = 1_500;

let worlds = 0;

/** A crashed process never answers, not even with an error. */
async function unlessCrashed<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
  try {
    return await process.work(work);
  } catch (error) {
    if (error instanceof CrashedError) await new Promise(() => {});
    throw error;
  }
}

function throwUnlessCrashed(error: unknown): never {
  if (error instanceof CrashedError) throw error;
  throwTaskError(error);
}

/** The engine over virtual time, in a simulated process that can crash and start again over the stored data. */
export class World {
  readonly namespace: string;
  readonly time: VirtualTime;
  readonly database: LocalTable;
  readonly blobs: Blobs = memoryBlobs();
  readonly containers: Containers;
  readonly web: Web;
  readonly lambdas: Lambdas;
  readonly externalSecrets = new ProgrammedSecrets();
  /** The bus, which holds the messages that it accepted and has not delivered. */
  readonly bus = new HeldMessages();
  /** The schedules that are armed, by the ids of their workflows. */
  readonly schedules = new Map<string, Schedule>();
  private readonly clockwork: Schedules = {
    problemOf: () => undefined,
    set: async (schedule) => void this.schedules.set(schedule.name, schedule),
    remove: async (name) => void this.schedules.delete(name),
  };
  /** The executions that were started: name -> handle of the machine. */
  readonly started = new Map<string, string>();
  /** The times of the first and last call of each execution, by its name, milliseconds since 1970. */
  readonly spans = new Map<string, readonly [number, number]>();
  /** The sums of the metrics, without durations. */
  readonly counted: Partial<Record<Measure, number>> = {};
  /** How often each run was committed as ended, by its id. */
  readonly endings = new Map<string, number>();
  process: SimulatedProcess;
  ports: RunnerPorts & CleanupPorts;
  executions: LocalExecutions;
  private timers!: LocalTimers;
  private readonly folder = mkdtempSync(join(tmpdir(), 'engine-'));
  private readonly options: WorldOptions;
  private readonly sealer = localSealer();
  private processes = 0;
  private journal!: LocalDatabase;

  constructor(database: LocalTable, options: WorldOptions = {}) {
    this.namespace = `world-${++worlds}`;
    this.database = database;
    this.options = options;
    this.time = new VirtualTime(options.msPerRead);
    this.containers = options.containers ?? new ScriptedContainers();
    this.web = options.web ?? new ProgrammedWeb();
    this.lambdas = options.lambdas ?? new ProgrammedLambdas();
    [this.process, this.executions, this.ports] = this.begin(options.crash);
  }

  private fileOf(process: number): string {
    return join(this.folder, `executions-${process}.db`);
  }

  /** Copies the journal as it is at this moment, for the next process. */
  private copyJournal(): void {
    const [from, to] = [this.fileOf(this.processes), this.fileOf(this.processes + 1)];
    for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }

  private begin(crash?: Crash): [SimulatedProcess, LocalExecutions, World['ports']] {
    const process = new SimulatedProcess(crash, () => this.copyJournal());
    const file = this.fileOf(this.processes);
    if (this.options.countsJournal) watchJournal(file, process);
    const deliver = this.options.deliver ?? ((input, go) => go(input));
    const { clock, alarm } = this.time;
    this.journal = new LocalDatabase({ file, sync: 'normal' });
    const executions = localExecutions({
      database: this.journal,
      clock,
      alarm,
      invoke: (name, payload, { clientContext }) => {
        if (name !== STEPS_FUNCTION) {
          const task = { function: name, payload, clientContext };
          return unlessCrashed(process, () => invokeAsTask(ports.lambdas, task));
        }
        this.noteCall(payload as { readonly execution: string });
        return unlessCrashed(process, () =>
          deliver(withoutAttempt(payload as StepInput), (input) => step(ports, input).catch(throwUnlessCrashed)),
        );
      },
      onEnd: ({ name, status, error = '', cause = '' }) =>
        unlessCrashed(process, () => onExecutionEnd(ports, { name, status, error, cause })),
    });
    this.timers = localTimers({
      database: this.journal,
      clock,
      alarm,
      call: (input) =>
        unlessCrashed(process, async () => void (await deliver(input as StepInput, (again) => step(ports, again)))),
    });
    const ports: World['ports'] = {
      settings: {
        brand: 'service',
        version: 'v0',
        waits: this.options.waits,
        secretSources: secretSourcesIn('aws-sm:weft/{namespace}/*'),
      },
      table: this.counting(crashingTable(process, this.database.table)),
      blobs: crashingBlobs(process, this.blobs),
      executions: this.remembering(crashingExecutions(process, executions)),
      bus: crashingBus(process, this.bus),
      schedules: crashingSchedules(process, this.clockwork),
      timers: crashingTimers(process, this.timers),
      sealer: this.sealer,
      externalSecrets: this.externalSecrets,
      web: crashingWeb(process, this.web),
      lambdas: crashingLambdas(process, this.lambdas),
      containers: crashingContainers(process, this.containers),
      clock,
      meter: { note: (happened) => this.count(happened) },
    };
    return [process, executions, ports];
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
          if (write.do !== 'put' || !ENDED.has(String(write.item['status']))) continue;
          const id = runIdIn(write.item.pk);
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
        this.noteCall({ execution: name });
        return executions.start(handle, name, input);
      },
    };
  }

  /** The ports of a process that does not crash. */
  get reliable(): RunnerPorts {
    return {
      ...this.ports,
      table: this.database.table,
      blobs: this.blobs,
      executions: this.executions,
      containers: this.containers,
      web: this.web,
      lambdas: this.lambdas,
      bus: this.bus,
      schedules: this.clockwork,
      timers: this.timers,
    };
  }

  /** Creates the namespace and stores the workflows in it, with their directories. */
  async store(sources: Readonly<Record<string, string>>): Promise<void> {
    await namespaces.create(this.reliable, this.namespace);
    for (const [path, source] of Object.entries(sources)) {
      const folders = path.split('/').slice(0, -1);
      for (const [index] of folders.entries()) {
        const folder = `/${folders.slice(0, index + 1).join('/')}`;
        await tree.createDirectory(this.reliable, this.namespace, folder).catch(() => undefined);
      }
      await workflows.create(this.reliable, this.namespace, `/${path}`, source);
    }
  }

  execute(path: string, input: string): Promise<Run> {
    const invocation = { namespace: this.namespace, path: `/${path}`, ref: '', input: Buffer.from(input) };
    return this.process.work(async () => (await execute(this.ports, invocation)).run);
  }

  /** Resolves when everything waits for a time or an answer. */
  private async settle(): Promise<void> {
    let isIdle = false;
    for (
      let turns = 0;
      turns < TURNS_TO_SETTLE && !(isIdle && this.process.busy === 0) && !this.process.hasCrashed;
      turns += 1
    ) {
      if (this.process.busy > 0) turns = 0;
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

  /** Lets time pass until no timer is left, or until `limit` (milliseconds since 1970), or until the process crashes. */
  async pass(limit = FAR): Promise<void> {
    do await this.settle();
    while (!this.process.hasCrashed && this.time.fireNext(limit));
  }

  /** Delivers the messages that are due to the router, each until it is taken or the process crashes. */
  async deliver(): Promise<void> {
    await this.bus.deliver(this.time.clock.now(), (message) => this.process.work(() => route(this.ports, message)));
  }

  /** Starts a new process over what the crashed one stored, as the service starts. */
  async restart(crash?: Crash): Promise<void> {
    while (this.process.busy > 0) await turn();
    await this.timers.close();
    await this.executions.close();
    await this.journal.close();
    unwatchJournal(this.fileOf(this.processes));
    this.processes += 1;
    this.time.advance(RESTART_MS);
    [this.process, this.executions, this.ports] = this.begin(crash);
    await this.executions.resume();
    await this.timers.resume();
    await this.reconcile(true);
  }

  /** Starts a new process over the journal of executions as it is, except for these tables, which have lost their rows. */
  async restartWithout(...tables: readonly string[]): Promise<void> {
    await this.executions.idle();
    await this.journal.durable();
    this.copyJournal();
    const journal = new DatabaseSync(this.fileOf(this.processes + 1));
    for (const table of tables) journal.exec(`DELETE FROM ${table}`);
    journal.close();
    await this.restart();
  }

  /** Reconciles once more, after the time for which a run is left to another process. */
  async reconcileLater(): Promise<void> {
    this.time.advance(LEASE_MS);
    await this.reconcile(false);
  }

  private reconcile(isExclusive: boolean): Promise<void> {
    return this.process.work(async () => {
      await reconcile(this.ports, { isExclusive });
      await sweep(this.ports);
    });
  }

  async close(): Promise<void> {
    await this.timers.close();
    await this.executions.close();
    await this.journal.close();
    unwatchJournal(this.fileOf(this.processes));
    rmSync(this.folder, { recursive: true, force: true });
    const key = { table: 'catalog', pk: 'namespaces', sk: this.namespace } as const;
    await this.database.table.write([{ do: 'delete', key }]);
  }
}
