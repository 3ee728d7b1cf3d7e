import type { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import type { RunnerPorts } from '../../../../lib/engine/ports.ts';
import type { Blobs } from '../../../../lib/ports/blobs.ts';
import { LambdaError, type Lambdas } from '../../../../lib/ports/callees/lambdas.ts';
import { UnreachableError, type Web } from '../../../../lib/ports/callees/web.ts';
import type { Containers } from '../../../../lib/ports/containers.ts';
import { ExternalSecretError, type ExternalSecrets } from '../../../../lib/ports/external-secrets.ts';
import type { Sealer } from '../../../../lib/ports/sealer.ts';
import type { Table } from '../../../../lib/ports/table.ts';
import { openRuntime } from '../../../server/local-runtime.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The parts that outlive a process of the service. */
export interface Outside {
  readonly database: LocalDatabase;
  readonly table: Table;
  readonly blobs: Blobs;
  readonly sealer: Sealer;
  readonly time: VirtualTime;
  readonly containers: Containers;
}

/** The options of a process. */
export interface ProcessOptions extends Outside {
  /** Called with each durable operation after it was done, also of a crashed process; it may call `crash`. */
  readonly onOperation: (process: TestProcess, operation: Operation) => void;
  /** Every message of the bus is delivered twice. */
  readonly deliversTwice: boolean;
}

/** A write, call or message that a crash cannot undo. */
export type Operation =
  | { readonly kind: 'write'; readonly writes: Parameters<Table['write']>[0] }
  | { readonly kind: 'call'; readonly call: string }
  | { readonly kind: 'messages'; readonly messages: Parameters<RunnerPorts['bus']['publish']>[0] }
  | { readonly kind: 'other' };

const OTHER: Operation = { kind: 'other' };

const refuse = async (): Promise<never> => {
  throw new UnreachableError('a test sends no requests: its functions are mocked', 'blocked');
};
const NO_WEB: Web = { get: refuse, send: refuse, deliver: refuse };
const NO_LAMBDAS: Lambdas = {
  invoke: async () => {
    throw new LambdaError('access', 'a test invokes no functions: they are mocked');
  },
};
const NO_EXTERNAL_SECRETS: ExternalSecrets = {
  read: async () => {
    throw new ExternalSecretError('refused', 'the secrets of a test are in its file');
  },
};

/** A call of a process that has crashed never returns. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/**
 * The service in this process over virtual time: the engine, with the runtime of `npm start`. It can crash; a new one
 * over the same database continues its work.
 */
export class TestProcess {
  readonly ports: RunnerPorts;
  readonly runtime: ReturnType<typeof openRuntime>;
  /** How many functions are at work; one that waits for a container is not. */
  busy = 0;
  hasCrashed = false;
  readonly #options: ProcessOptions;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { database, sealer, time, containers, deliversTwice } = options;
    const { clock, alarm } = time;
    const around = <T>(work: () => Promise<T>): Promise<T> => this.work(work);
    this.runtime = openRuntime({
      database,
      clock,
      alarm,
      around,
      deliversTwice,
      observer: {},
      ports: () => this.ports,
    });
    this.ports = {
      settings: { brand: 'service', version: 'test' },
      clock,
      sealer,
      externalSecrets: NO_EXTERNAL_SECRETS,
      web: NO_WEB,
      lambdas: NO_LAMBDAS,
      ...this.#storagePorts(),
      ...this.#runtimePorts(),
      containers: {
        ...containers,
        call: (id, call) =>
          this.#durable(() => this.#idle(() => containers.call(id, call)), { kind: 'call', call: call.actionId }),
      },
    };
  }

  #storagePorts(): Pick<RunnerPorts, 'table' | 'blobs'> {
    const { table, blobs } = this.#options;
    return {
      table: {
        get: (keys) => this.#uncounted(() => table.get(keys)),
        query: (query) => this.#uncounted(() => table.query(query)),
        write: (writes) => this.#durable(() => table.write(writes), { kind: 'write', writes }),
      },
      blobs: {
        put: (key, bytes) => this.#uncounted(() => blobs.put(key, bytes)),
        get: (key) => this.#uncounted(() => blobs.get(key)),
        remove: (prefix) => this.#uncounted(() => blobs.remove(prefix)),
        delete: (keys) => this.#uncounted(() => blobs.delete(keys)),
        list: (prefix, after) => this.#uncounted(() => blobs.list(prefix, after)),
      },
    };
  }

  #runtimePorts(): Pick<RunnerPorts, 'executions' | 'bus' | 'schedules' | 'timers'> {
    const { executions, bus, schedules, timers } = this.runtime;
    return {
      executions: {
        define: (...call) => this.#uncounted(() => executions.define(...call)),
        remove: (handle) => this.#uncounted(() => executions.remove(handle)),
        start: (...call) => this.#durable(() => executions.start(...call), OTHER),
        isRunning: (...call) => this.#uncounted(() => executions.isRunning(...call)),
        stop: (...call) => this.#durable(() => executions.stop(...call), OTHER),
        answer: (...call) => this.#durable(() => executions.answer(...call), OTHER),
      },
      bus: {
        publish: (messages) => this.#durable(() => bus.publish(messages), { kind: 'messages', messages }),
        publishAt: (at, name, message) =>
          this.#durable(() => bus.publishAt(at, name, message), { kind: 'messages', messages: [message] }),
      },
      schedules: {
        problemOf: (cron) => schedules.problemOf(cron),
        set: (schedule) => this.#durable(() => schedules.set(schedule), OTHER),
        remove: (name) => this.#durable(() => schedules.remove(name), OTHER),
      },
      timers: { set: (timer) => this.#durable(() => timers.set(timer), OTHER) },
    };
  }

  /** Continues the work that an earlier process left. */
  async resume(): Promise<void> {
    const { executions, bus, schedules, timers } = this.runtime;
    for (const part of [executions, bus, schedules, timers]) await part.resume();
  }

  /** Ends the process at once: its further work has no effect. */
  crash(): void {
    this.hasCrashed = true;
    this.#options.time.clear();
    void this.runtime.close();
  }

  /** Counts as busy until the work is done. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
    }
  }

  async #idle<T>(work: () => Promise<T>): Promise<T> {
    this.busy -= 1;
    try {
      return await work();
    } finally {
      this.busy += 1;
    }
  }

  /** For work after which no crash is tried: a read, or a write whose repetition changes nothing. */
  async #uncounted<T>(work: () => Promise<T>): Promise<T> {
    if (this.hasCrashed) return never();
    const result = await work();
    return this.hasCrashed ? never() : result;
  }

  async #durable<T>(work: () => Promise<T>, operation: Operation): Promise<T> {
    if (this.hasCrashed) return never();
    const result = await work();
    // An operation that was in progress at the crash takes effect, too.
    this.#options.onOperation(this, operation);
    return this.hasCrashed ? never() : result;
  }
}
