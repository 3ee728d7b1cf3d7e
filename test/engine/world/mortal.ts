import { DatabaseSync } from 'node:sqlite';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Containers } from '../../../lib/ports/containers.ts';
import type { Executions } from '../../../lib/ports/executions.ts';
import type { Table } from '../../../lib/ports/table.ts';

/** What everything answers in a process that is dead. */
export class ProcessDiedError extends Error {
  override readonly name = 'Died';
}

export interface Death {
  /** The number of the durable move, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

export type Kind = 'write' | 'blob' | 'execution' | 'journal' | 'container';

/** The life of one process: it counts its durable moves, and may end before or after one of them. */
export class Life {
  moves = 0;
  isOver = false;
  busy = 0;
  readonly kinds: Record<Kind, number> = { write: 0, blob: 0, execution: 0, journal: 0, container: 0 };
  /** Hears of every call before it is made, and may hold it up. */
  onCall: ((name: string) => Promise<void> | void) | undefined;
  private readonly death: Death | undefined;
  private readonly onDeath: () => void;

  constructor(death: Death | undefined, onDeath: () => void) {
    this.death = death;
    this.onDeath = onDeath;
  }

  private die(): never {
    this.isOver = true;
    this.onDeath();
    throw new ProcessDiedError('the process died');
  }

  private needLife(): void {
    if (this.isOver) throw new ProcessDiedError('the process is dead');
  }

  private begin(kind: Kind): number {
    this.needLife();
    this.moves += 1;
    this.kinds[kind] += 1;
    if (this.death?.at === this.moves && this.death.when === 'before') this.die();
    return this.moves;
  }

  private end(move: number): void {
    this.needLife();
    if (this.death?.at === move && this.death.when === 'after') this.die();
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
    this.needLife();
    await this.onCall?.(name);
    const result = await this.work(work);
    this.needLife();
    return result;
  }

  async move<T>(kind: Kind, name: string, work: () => Promise<T>): Promise<T> {
    this.needLife();
    await this.onCall?.(name);
    const move = this.begin(kind);
    const result = await this.work(work);
    this.end(move);
    return result;
  }

  /** A move of the world outside, which takes the time it takes: nothing of this process is at work on it. */
  async await<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    const move = this.begin(kind);
    this.busy -= 1;
    const result = await work().finally(() => {
      this.busy += 1;
    });
    this.end(move);
    return result;
  }

  moveNow(kind: Kind, work: () => void): void {
    const move = this.begin(kind);
    work();
    this.end(move);
  }
}

export const mortalTable = (life: Life, table: Table): Table => ({
  get: (keys) => life.read('table.get', () => table.get(keys)),
  query: (query) => life.read('table.query', () => table.query(query)),
  write: (writes) => life.move('write', 'table.write', () => table.write(writes)),
});

export const mortalBlobs = (life: Life, blobs: Blobs): Blobs => ({
  put: (key, bytes) => life.move('blob', 'blobs.put', () => blobs.put(key, bytes)),
  get: (key) => life.read('blobs.get', () => blobs.get(key)),
  remove: (prefix) => life.move('blob', 'blobs.remove', () => blobs.remove(prefix)),
});

export const mortalExecutions = (life: Life, executions: Executions): Executions => ({
  define: (machine) => life.move('execution', 'executions.define', () => executions.define(machine)),
  start: (handle, name, input) =>
    life.move('execution', 'executions.start', () => executions.start(handle, name, input)),
  stop: (...call) => life.move('execution', 'executions.stop', () => executions.stop(...call)),
  answer: (token, answer) => life.move('execution', 'executions.answer', () => executions.answer(token, answer)),
});

export const mortalContainers = (life: Life, containers: Containers): Containers => ({
  problem: () => life.read('containers.problem', () => containers.problem()),
  prepare: (revision) => life.move('container', 'containers.prepare', () => containers.prepare(revision)),
  status: (ids) => life.read('containers.status', () => containers.status(ids)),
  call: (id, call) => life.await('container', () => containers.call(id, call)),
  cancel: (id, actionId) => life.move('container', 'containers.cancel', () => containers.cancel(id, actionId)),
  remove: (id) => life.move('container', 'containers.remove', () => containers.remove(id)),
  output: (pod, from) => life.read('containers.output', () => containers.output(pod, from)),
});

/** Whose journal a file is. */
const journals = new Map<string, Life>();
const isWatched = Symbol('watched');

/** Every transaction that the journal in the file commits is a durable move of that life. */
export function watchJournal(file: string, life: Life): void {
  journals.set(file, life);
  const prototype = DatabaseSync.prototype as DatabaseSync & { [isWatched]?: true };
  if (prototype[isWatched]) return;
  prototype[isWatched] = true;
  const { exec } = prototype;
  prototype.exec = function (this: DatabaseSync, text: string): void {
    const owner = text === 'COMMIT' ? journals.get(this.location() ?? '') : undefined;
    if (owner === undefined || owner.isOver) exec.call(this, text);
    else owner.moveNow('journal', () => exec.call(this, text));
  };
}

export function unwatchJournal(file: string): void {
  journals.delete(file);
}
