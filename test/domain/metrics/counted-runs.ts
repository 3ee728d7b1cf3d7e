import { setImmediate as turn } from 'node:timers/promises';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { EMPTY_RECORD } from '../../../lib/domain/runs/records.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import type { RunTally } from '../../../lib/domain/runs/tallies.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

const TALLY: RunTally = [
  ['a', 5, 1, [['b', 1]]],
  ['b', 7, 0, []],
];

export type End = 'complete' | 'failed' | 'crashed';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Stores runs as the engine does, in a table in memory and with a clock that the test sets. */
export class CountedRuns {
  now = Date.UTC(2026, 0, 15, 12);
  readonly clock: Clock;
  readonly needs: { readonly table: Table; readonly blobs: ReturnType<typeof memoryBlobs>; readonly clock: Clock };
  /** The stored runs by id, with which counters are compared. */
  readonly stored = new Map<string, runs.Run>();
  private ids = 0;

  /** `isSlow`: calls to the table take some turns of the event loop, so that concurrent calls interleave. */
  constructor(table: Table = new MemoryTable(), isSlow = false) {
    this.clock = {
      now: () => this.now,
      uuid: () => `${hex(this.now, 12).slice(0, 8)}-${hex(this.now, 12).slice(8)}-7000-8000-${hex(++this.ids, 12)}`,
      secret: () => 'secret',
    };
    this.needs = { table: isSlow ? delayed(table) : table, blobs: memoryBlobs(), clock: this.clock };
  }

  async namespace(name = 'demo'): Promise<namespaces.Namespace> {
    await namespaces
      .create({ ...this.needs, settings: { brand: 'service', version: 'v0' } }, name)
      .catch(() => undefined);
    return namespaces.need(this.needs, name);
  }

  /** Returns a run that is not stored yet. */
  newRun({ id: namespaceId, name: namespace }: namespaces.Namespace, workflowId: string, revision = 'r1'): runs.Run {
    return {
      ...{ id: this.clock.uuid(), namespaceId, namespace, workflowId, revision, path: '/w', as: '/w', invoker: 'api' },
      ...{ status: 'pending', code: '', message: '', created: this.now, updated: this.now, seq: 0 },
      ...{ at: 'a', step: 0, flow: [], data: {}, input: new Uint8Array(), interrupted: false, metadata: '' },
      ...{
        tail: [],
        flushed: 0,
        lastLine: 0,
        machine: '',
        executions: 0,
        historyEvents: 0,
        express: false,
        entryWait: 0,
        executionBegan: this.now,
      },
      ...{ waitCount: 0, processedEventIds: [], depth: 0, threads: {}, outbox: {}, kind: 'workflow' as const },
      ...{ settings: { lookback: 0, broadcasts: [], logger: '' }, tally: [], record: EMPTY_RECORD },
    };
  }

  async begin(run: runs.Run): Promise<runs.Run> {
    return this.keep(await runs.commit(this.needs, { ...run, seq: run.seq + 1 }));
  }

  /** Ends a run. One that is not stored yet began and ended in one commit. */
  async end(run: runs.Run, status: End): Promise<runs.Run> {
    const code = status === 'complete' ? '' : 'service.no';
    const next = { ...run, status, code, at: 'b', step: 2, seq: run.seq + 1, updated: this.now, tally: TALLY };
    return this.keep(await runs.commit(this.needs, next));
  }

  private keep(run: runs.Run): runs.Run {
    this.stored.set(run.id, run);
    return run;
  }

  /** Counts the stored runs of a workflow, and how they ended, one by one. */
  truth(workflowId: string) {
    const all = [...this.stored.values()].filter((run) => run.workflowId === workflowId);
    const over = all.filter(({ status }) => status !== 'pending');
    return {
      runs: all.length,
      done: over.filter(({ status }) => status === 'complete').length,
      failed: over.filter(({ status }) => status !== 'complete').length,
      ms: over.reduce((sum, { created, updated }) => sum + updated - created, 0),
    };
  }
}

/** A table whose calls take different numbers of turns of the event loop. */
export function delayed(table: Table): Table {
  let calls = 0;
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    for (let turns = calls % 4; turns > 0; turns -= 1) await turn();
    const result = await work();
    await turn();
    return result;
  };
  return {
    get: (keys) => later(() => table.get(keys)),
    query: (query) => later(() => table.query(query)),
    write: (writes) => later(() => table.write(writes)),
  };
}
