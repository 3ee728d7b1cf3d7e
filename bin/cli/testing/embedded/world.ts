import { setImmediate as turn } from 'node:timers/promises';
import { databaseBlobs } from '../../../../lib/adapters/local/blobs.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { localSealer } from '../../../../lib/adapters/local/sealer.ts';
import { databaseTable } from '../../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../../lib/domain/credentials/secrets.ts';
import { configure } from '../../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../../lib/domain/namespaces/namespaces.ts';
import * as variables from '../../../../lib/domain/namespaces/variables.ts';
import * as tree from '../../../../lib/domain/tree/tree.ts';
import { createWorkflow } from '../../../../lib/engine/changes/publishing.ts';
import type { RunnerPorts } from '../../../../lib/engine/ports.ts';
import { reconcile } from '../../../../lib/engine/recovery/reconciler.ts';
import type { MockScript } from '../../../../lib/testing/mocking/script.ts';
import { MockedContainers } from './mocked-containers.ts';
import { type Operation, TestProcess } from './process.ts';
import { Recording } from './recording.ts';
import { VirtualTime } from './virtual-time.ts';

export const NAMESPACE = 'test';

/** How a world is made. */
export interface WorldOptions {
  /** When its clock begins, milliseconds since 1970. */
  readonly start: number;
  readonly script: MockScript;
  /** The process crashes after the operation of this number, from 1, counted from `countFromNow` on. */
  readonly crashAt?: number | undefined;
  /** Each message of the bus is delivered twice. */
  readonly deliversTwice?: boolean;
  /** The value of `performance.now()` at which the case is aborted. */
  readonly giveUpAt: number;
}

/** The case exceeded its limit of real time. */
export class PatienceError extends Error {
  override readonly name = 'PatienceError';
}

/** One service in memory, over virtual time, with one namespace. Its process can crash and start again. */
export class TestWorld {
  readonly time: VirtualTime;
  readonly containers: MockedContainers;
  readonly recording = new Recording();
  /** The durable operations since `countFromNow`. */
  operations = 0;
  /** The moment at which the process crashed; undefined if it did not. */
  crashedAfter: string | undefined;
  readonly #options: WorldOptions;
  readonly #database = new LocalDatabase({ file: ':memory:', sync: 'normal', acknowledge: 'written', isTimed: false });
  readonly #table = databaseTable(this.#database).table;
  readonly #blobs = databaseBlobs(this.#database);
  readonly #sealer = localSealer();
  #process: TestProcess;
  #isCounting = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.time = new VirtualTime(options.start);
    this.containers = new MockedContainers(options.script, this.time);
    this.#process = this.#begin();
  }

  get ports(): RunnerPorts {
    return this.#process.ports;
  }

  /** The stored data, also after the process was stopped. */
  get storage(): Pick<RunnerPorts, 'table' | 'blobs'> {
    return { table: this.#table, blobs: this.#blobs };
  }

  /** Counts durable operations, and crashes at one of them, from now on. */
  countFromNow(): void {
    this.#isCounting = true;
  }

  /** Creates the namespace and stores workflows in it, by their paths in the tree. */
  async store(sources: ReadonlyMap<string, string>): Promise<void> {
    await namespaces.create(this.ports, NAMESPACE);
    // Cases expect the events of runs that are late; others send none of this type.
    await configure(this.ports, NAMESPACE, { broadcast: { 'instance.late': true } });
    for (const folder of directoriesOf(sources.keys())) await tree.createDirectory(this.ports, NAMESPACE, folder);
    for (const [path, source] of sources) {
      await createWorkflow(this.ports, { namespace: NAMESPACE, path: `/${path}`, source });
    }
  }

  /** Sets a variable to a value, as JSON. */
  async setVariable(owner: variables.Owner, name: string, value: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(value));
    const namespace = await namespaces.need(this.ports, NAMESPACE);
    await variables.set(this.ports, { namespace, owner }, name, { bytes, mimeType: 'application/json' });
  }

  /** Sets a secret of the namespace. */
  async setSecret(name: string, value: string): Promise<void> {
    const namespace = await namespaces.need(this.ports, NAMESPACE);
    await secrets.set(this.ports, namespace, name, Buffer.from(value));
  }

  /** Sends a request until its reply arrives. As a client does, it repeats the request after a crash of the process. */
  async request(act: (ports: RunnerPorts) => Promise<unknown>): Promise<void> {
    for (;;) {
      const process = this.#process;
      const acting = process
        .work(() => act(process.ports))
        .then(
          () => ({ isDone: true }),
          (error: unknown) => ({ isDone: true, error }),
        );
      const reply = await this.#replyOf(acting);
      if (reply === undefined) await this.#restart();
      else if ('error' in reply) throw reply.error;
      else return;
    }
  }

  /**
   * Lets everything happen that needs no time. Between the functions that the runtime calls, it waits for the database and
   * for timers only: when no function is at work and the database is quiet, the next thing that happens is a timer.
   */
  async settle(): Promise<void> {
    do {
      await this.#turn();
      if (this.#process.hasCrashed) await this.#restart();
    } while (this.#process.busy > 0 || !this.#database.isQuiet());
  }

  /** Ends the process for good. The stored data can still be read. */
  stop(): void {
    if (!this.#process.hasCrashed) this.#process.crash();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#database.close();
  }

  #begin(): TestProcess {
    return new TestProcess({
      database: this.#database,
      table: this.#table,
      blobs: this.#blobs,
      sealer: this.#sealer,
      time: this.time,
      containers: this.containers.port,
      deliversTwice: this.#options.deliversTwice === true,
      onOperation: (process, operation) => this.#note(process, operation),
    });
  }

  #note(process: TestProcess, operation: Operation): void {
    this.recording.note(operation);
    if (!this.#isCounting || this.crashedAfter !== undefined) return;
    this.operations += 1;
    if (this.operations !== this.#options.crashAt) return;
    this.crashedAfter = this.recording.describe(operation, this.containers.received);
    process.crash();
  }

  async #turn(): Promise<void> {
    if (performance.now() > this.#options.giveUpAt) throw new PatienceError('the case took too long');
    await turn();
  }

  /** The reply of a request; undefined if the process crashes before it. */
  async #replyOf<R>(acting: Promise<R>): Promise<R | undefined> {
    let reply: R | undefined;
    void acting.then((one) => {
      reply = one;
    });
    while (reply === undefined && !this.#process.hasCrashed) await this.#turn();
    return reply;
  }

  /** A new process continues the work that the crashed one stored, as the service does when it starts. */
  async #restart(): Promise<void> {
    await turn();
    this.#process = this.#begin();
    const process = this.#process;
    await process.work(async () => {
      await process.resume();
      await reconcile(process.ports, { isExclusive: true });
    });
  }
}

function directoriesOf(paths: Iterable<string>): string[] {
  const nested = [...paths].flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(nested)].toSorted();
}
