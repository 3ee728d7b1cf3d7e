import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import * as events from '../../../lib/domain/events/events.ts';
import { type LogReading, readAfter } from '../../../lib/domain/logs/cursor-reader.ts';
import { writeLine } from '../../../lib/domain/logs/lines.ts';
import { type Log, list, openLog } from '../../../lib/domain/logs/pages.ts';
import type { LogRecord } from '../../../lib/domain/logs/records.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { type ListRequest, toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { List } from '../../../lib/domain/storage/lists.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { newRun } from '../../../lib/engine/run/new-run.ts';
import type { Query, Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

/** A UUID of version 7 with a counter instead of random bits: ids of one millisecond are ascending. */
function uuidOf(ms: number, count: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count.toString(16).padStart(12, '0')}`;
}

/** A namespace whose log is written and read at times that the test sets. */
export class LogSpace {
  now = Date.UTC(2026, 0, 15, 23, 58);
  /** Called before each query of a reader, for concurrent writes. */
  between: () => Promise<void> = async () => {};
  readonly queries: Query[] = [];
  /** How many rows readers have read, and not only counted. */
  rowsRead = 0;
  readonly memory = new MemoryTable();
  retentionDays = 30;
  #ids = 0;
  #opened: workflows.Opened | undefined;

  readonly #quiet = new MemoryPorts();

  get ports() {
    const table: Table = {
      get: (keys) => this.memory.get(keys),
      write: (writes) => this.memory.write(writes),
      query: async (query) => {
        this.queries.push(query);
        await this.between();
        const page = await this.memory.query(query);
        this.rowsRead += page.items.length;
        return page;
      },
    };
    const clock = {
      now: () => this.now,
      uuid: () => uuidOf(this.now, ++this.#ids),
      secret: () => 'secret',
    };
    const settings = { brand: 'service', version: 'v0', retentionDays: this.retentionDays };
    return { ...this.#quiet.ports, table, clock, settings, blobs: this.#blobs };
  }

  readonly #blobs = memoryBlobs();

  static async open(): Promise<LogSpace> {
    const space = new LogSpace();
    await namespaces.create(space.ports, 'demo');
    space.#opened = await workflows.create(space.ports, 'demo', 'w', 'states:\n- {id: a, type: noop}\n');
    return space;
  }

  get opened(): workflows.Opened {
    if (this.#opened === undefined) throw new Error('the space is not open');
    return this.#opened;
  }

  get log(): Log {
    const { namespace } = this.opened;
    return openLog(this.ports, { scope: 'namespace', namespace }, namespace.created);
  }

  get workflowLog(): Log {
    const { namespace, node } = this.opened;
    return openLog(this.ports, { scope: 'workflow', namespace, node }, node.created);
  }

  note(text: string): Promise<void> {
    return writeLine(this.ports, { scope: 'namespace', namespace: this.opened.namespace }, text);
  }

  async receive(id: string): Promise<void> {
    const event = { specversion: '1.0', id, source: 's', type: 't' } as const;
    await events.record(this.ports, this.opened.namespace, event);
  }

  /** Begins a run now, and returns a function that stores it, which makes it visible. */
  begin(): () => Promise<void> {
    const { ports } = this;
    const run = newRun(ports, { ...this.opened, readAt: this.now }, Buffer.from('{}'), 'api');
    return async () => {
      await runs.commit(ports, { ...run, seq: 1, status: 'complete', updated: this.now });
    };
  }

  list(query: Record<string, string[]> = {}): Promise<List<LogRecord>> {
    return list(this.ports, this.log, toListRequest(query));
  }

  readAfter(cursor?: string, request: ListRequest = toListRequest({}), log = this.log): Promise<LogReading> {
    return readAfter(this.ports, log, request, cursor);
  }
}

export const namesOf = ({ edges }: List<LogRecord>): string[] => edges.map(({ cursor }) => cursor);
export const textsOf = ({ results }: List<LogRecord>): string[] => results.map(({ msg }) => msg);
