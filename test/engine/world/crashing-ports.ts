import { DatabaseSync } from 'node:sqlite';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Bus } from '../../../lib/ports/bus.ts';
import type { Lambdas } from '../../../lib/ports/callees/lambdas.ts';
import type { Web } from '../../../lib/ports/callees/web.ts';
import type { Containers } from '../../../lib/ports/containers.ts';
import type { Executions } from '../../../lib/ports/executions.ts';
import type { Schedules } from '../../../lib/ports/schedules.ts';
import type { Table } from '../../../lib/ports/table.ts';
import type { Timers } from '../../../lib/ports/timers.ts';

/** Every call throws this in a process that has crashed. */
export class CrashedError extends Error {
  override readonly name = 'CrashedError';
}

/** A crash before or after a durable operation: a write that a new process finds. */
export interface Crash {
  /** The number of the operation, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

export type Kind =
  | 'write'
  | 'blob'
  | 'execution'
  | 'journal'
  | 'container'
  | 'bus'
  | 'schedule'
  | 'timer'
  | 'web'
  | 'lambda';

/** A process that counts its durable operations and may crash before or after one of them. */
export class SimulatedProcess {
  operations = 0;
  hasCrashed = false;
  busy = 0;
  readonly kinds: Record<Kind, number> = {
    write: 0,
    blob: 0,
    execution: 0,
    journal: 0,
    container: 0,
    bus: 0,
    schedule: 0,
    timer: 0,
    web: 0,
    lambda: 0,
  };
  /** Called before every call; the call waits for it. */
  onCall: ((name: string) => Promise<void> | void) | undefined;
  private crash: Crash | undefined;
  private readonly onCrash: () => void;

  constructor(crash: Crash | undefined, onCrash: () => void) {
    this.crash = crash;
    this.onCrash = onCrash;
  }

  /** Lets the process crash at an operation, counted from now on. */
  crashAt(crash: Crash | undefined): void {
    this.crash = crash && { ...crash, at: crash.at + this.operations };
  }

  private crashNow(): never {
    this.hasCrashed = true;
    this.onCrash();
    throw new CrashedError('the process crashes');
  }

  private needRunning(): void {
    if (this.hasCrashed) throw new CrashedError('the process has crashed');
  }

  private begin(kind: Kind): number {
    this.needRunning();
    this.operations += 1;
    this.kinds[kind] += 1;
    if (this.crash?.at === this.operations && this.crash.when === 'before') this.crashNow();
    return this.operations;
  }

  private end(operation: number): void {
    this.needRunning();
    if (this.crash?.at === operation && this.crash.when === 'after') this.crashNow();
  }

  /** Counts as busy until it is done. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
    }
  }

  async read<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.needRunning();
    await this.onCall?.(name);
    const result = await this.work(work);
    this.needRunning();
    return result;
  }

  async durable<T>(kind: Kind, name: string, work: () => Promise<T>): Promise<T> {
    this.needRunning();
    await this.onCall?.(name);
    const operation = this.begin(kind);
    const result = await this.work(work);
    this.end(operation);
    return result;
  }

  /** An operation outside the process: the process is not busy while it lasts. */
  async external<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    const operation = this.begin(kind);
    this.busy -= 1;
    const result = await work().finally(() => {
      this.busy += 1;
    });
    this.end(operation);
    return result;
  }

  durableNow(kind: Kind, work: () => void): void {
    const operation = this.begin(kind);
    work();
    this.end(operation);
  }
}

export const crashingTable = (process: SimulatedProcess, table: Table): Table => ({
  get: (keys) => process.read('table.get', () => table.get(keys)),
  query: (query) => process.read('table.query', () => table.query(query)),
  write: (writes) => process.durable('write', 'table.write', () => table.write(writes)),
});

export const crashingBlobs = (process: SimulatedProcess, blobs: Blobs): Blobs => ({
  put: (key, bytes) => process.durable('blob', 'blobs.put', () => blobs.put(key, bytes)),
  get: (key) => process.read('blobs.get', () => blobs.get(key)),
  remove: (prefix) => process.durable('blob', 'blobs.remove', () => blobs.remove(prefix)),
  delete: (keys) => process.durable('blob', 'blobs.delete', () => blobs.delete(keys)),
  list: (prefix, after) => process.read('blobs.list', () => blobs.list(prefix, after)),
});

export const crashingExecutions = (process: SimulatedProcess, executions: Executions): Executions => ({
  define: (...call) => process.durable('execution', 'executions.define', () => executions.define(...call)),
  remove: (handle) => process.durable('execution', 'executions.remove', () => executions.remove(handle)),
  start: (handle, name, input) =>
    process.durable('execution', 'executions.start', () => executions.start(handle, name, input)),
  isRunning: (...call) => process.read('executions.isRunning', () => executions.isRunning(...call)),
  stop: (...call) => process.durable('execution', 'executions.stop', () => executions.stop(...call)),
  answer: (token, answer) => process.durable('execution', 'executions.answer', () => executions.answer(token, answer)),
});

export const crashingWeb = (process: SimulatedProcess, web: Web): Web => ({
  get: (...request) => process.read('web.get', () => web.get(...request)),
  send: (request) => process.external('web', () => web.send(request)),
  deliver: (request) => process.external('web', () => web.deliver(request)),
});

export const crashingLambdas = (process: SimulatedProcess, lambdas: Lambdas): Lambdas => ({
  invoke: (invocation) => process.external('lambda', () => lambdas.invoke(invocation)),
});

export const crashingContainers = (process: SimulatedProcess, containers: Containers): Containers => ({
  problem: () => process.read('containers.problem', () => containers.problem()),
  prepare: (revision) => process.durable('container', 'containers.prepare', () => containers.prepare(revision)),
  status: (ids) => process.read('containers.status', () => containers.status(ids)),
  call: (id, call) => process.external('container', () => containers.call(id, call)),
  cancel: (id, actionId) => process.durable('container', 'containers.cancel', () => containers.cancel(id, actionId)),
  remove: (id) => process.durable('container', 'containers.remove', () => containers.remove(id)),
  output: (pod, from) => process.read('containers.output', () => containers.output(pod, from)),
});

export const crashingBus = (process: SimulatedProcess, bus: Bus): Bus => ({
  publish: (messages) => process.durable('bus', 'bus.publish', () => bus.publish(messages)),
  publishAt: (...call) => process.durable('bus', 'bus.publishAt', () => bus.publishAt(...call)),
});

export const crashingSchedules = (process: SimulatedProcess, schedules: Schedules): Schedules => ({
  problemOf: (cron) => schedules.problemOf(cron),
  set: (schedule) => process.durable('schedule', 'schedules.set', () => schedules.set(schedule)),
  remove: (name) => process.durable('schedule', 'schedules.remove', () => schedules.remove(name)),
});

export const crashingTimers = (process: SimulatedProcess, timers: Timers): Timers => ({
  set: (timer) => process.durable('timer', 'timers.set', () => timers.set(timer)),
});

/** The process of each journal, by its file. */
const journals = new Map<string, SimulatedProcess>();
const isWatched = Symbol('watched');

/** Counts every transaction of the journal in the file as a durable operation of the process. */
export function watchJournal(file: string, process: SimulatedProcess): void {
  journals.set(file, process);
  const prototype = DatabaseSync.prototype as DatabaseSync & { [isWatched]?: true };
  if (prototype[isWatched]) return;
  prototype[isWatched] = true;
  const { exec } = prototype;
  prototype.exec = function (this: DatabaseSync, text: string): void {
    const owner = text === 'COMMIT' ? journals.get(this.location() ?? '') : undefined;
    if (owner === undefined || owner.hasCrashed) exec.call(this, text);
    else owner.durableNow('journal', () => exec.call(this, text));
  };
}

export function unwatchJournal(file: string): void {
  journals.delete(file);
}
