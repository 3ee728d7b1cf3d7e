import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import type { Wait } from '../../../lib/domain/runs/waits.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { ensureMachine } from '../../../lib/engine/machines/definitions.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { newRun } from '../../../lib/engine/run/new-run.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Table, Write } from '../../../lib/ports/table.ts';
import { cases, IS_FULL } from '../../effort.ts';
import { CrashedError } from '../world/crashing-ports.ts';
import { eventOf, MemoryPorts } from '../world/memory-ports.ts';

const CROWD = cases(6_000, 10_000);
const CONCURRENCY = 32;
let database: LocalTable;
const calls = { get: 0, query: 0, write: 0 };

beforeAll(async () => {
  database = await openLocalTable();
});

afterAll(() => database.close());

/** Does the work for each number, some at a time. */
async function each(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** The table of a process that crashes after a number of calls. It measures the largest page. */
class CrashingTable {
  largestPage = 0;
  private left: number;
  constructor(left: number) {
    this.left = left;
  }

  private async call<T>(kind: keyof typeof calls, work: () => Promise<T>): Promise<T> {
    this.left -= 1;
    if (this.left < 0) throw new CrashedError('the process crashes');
    calls[kind] += 1;
    return work();
  }

  get port(): Table {
    return {
      get: (keys) => this.call('get', () => database.table.get(keys)),
      write: (writes) => this.call('write', () => database.table.write(writes)),
      query: (query) =>
        this.call('query', async () => {
          const page = await database.table.query(query);
          this.largestPage = Math.max(this.largestPage, page.items.length);
          return page;
        }),
    };
  }
}

/** The cost of the delivery of one event. */
interface Effort {
  readonly crashes: number;
  readonly rounds: number;
  readonly largestPage: number;
  readonly milliseconds: number;
  readonly calls: number;
}

/** Delivers the message to one router after the other; each of the first ones crashes after a number of calls. */
async function deliver(ports: RunnerPorts, first: Message, limits: readonly number[]): Promise<Effort> {
  const queue = [first];
  const effort = { crashes: 0, rounds: 0, largestPage: 0 };
  const [begun, before] = [performance.now(), { ...calls }];
  const left = [...limits];
  while (queue.length > 0) {
    const [message] = queue;
    if (message === undefined) break;
    const table = new CrashingTable(left.shift() ?? Number.POSITIVE_INFINITY);
    const bus = { ...ports.bus, publish: async (more: readonly Message[]) => void queue.push(...more) };
    try {
      await route({ ...ports, table: table.port, bus }, message);
      queue.shift();
      effort.rounds += 1;
    } catch (error) {
      if (!(error instanceof CrashedError)) throw error;
      effort.crashes += 1;
    }
    effort.largestPage = Math.max(effort.largestPage, table.largestPage);
  }
  const made = calls.get + calls.query + calls.write - before.get - before.query - before.write;
  return { ...effort, milliseconds: Math.round(performance.now() - begun), calls: made };
}

const report = (what: string, { milliseconds, calls: made, rounds, crashes, largestPage }: Effort): void =>
  console.log(
    `${what}: ${milliseconds} ms, ${made} calls (${(made / CROWD).toFixed(2)} each), ${rounds} rounds, ` +
      `${crashes} crashes, at most ${largestPage} listeners in memory`,
  );

/** Ports over the embedded database. As in Step Functions, a token is answered once. */
function portsOf(answers: Map<string, number>) {
  const memory = new MemoryPorts();
  const started = new Set<string>();
  const ports: RunnerPorts = {
    ...memory.ports,
    // The effort of the router alone is counted: machines run the states.
    settings: { ...memory.ports.settings, startBudgetMs: 0 },
    table: database.table,
    blobs: memoryBlobs(),
    executions: {
      ...memory.ports.executions,
      start: async (_handle, name) => started.add(name) !== undefined,
      answer: async (token) => {
        answers.set(token, (answers.get(token) ?? 0) + 1);
        return answers.get(token) === 1;
      },
    },
  };
  return { memory, ports, started };
}

const waitOf = (token: string, since: number): Wait => ({
  number: 1,
  state: 'a',
  isWaiting: true,
  entered: since,
  origin: since,
  until: since + 3_600_000,
  wake: since + 3_600_000,
  listening: { mode: 'one', filters: [{ type: 't', context: {} }], received: [null], since, token },
});

/** Writes copies, many in one transaction. */
async function writeCopies(ports: RunnerPorts, copyOf: (number: number) => readonly Write[]): Promise<void> {
  const all = Array.from({ length: CROWD }, (_, number) => copyOf(number));
  const together = 30;
  await each(Math.ceil(CROWD / together), (part) => {
    return ports.table.write(all.slice(part * together, (part + 1) * together).flat());
  });
}

/** Stores many waiting runs, with their listeners. Returns their ids. */
async function copyWait(ports: RunnerPorts, { id: namespaceId }: namespaces.Namespace, opened: workflows.Opened) {
  const run = {
    ...newRun(ports, { ...opened, readAt: ports.clock.now() }, new Uint8Array(), 'api'),
    seq: 1,
    waitCount: 1,
  };
  const { created } = await runs.commit(ports, { ...run, wait: waitOf(run.id, run.created) });
  const [item] = await ports.table.get([keys.run(run.id)]);
  if (item === undefined) throw new Error('the run is not where it was stored');
  const ids = Array.from({ length: CROWD }, (_, number) => `${run.id.slice(0, -6)}${String(900_000 + number)}`);
  const details = { wait: 1, mode: 'simple', path: '/waits', created } as const;
  await writeCopies(ports, (number) => {
    const id = ids[number] ?? '';
    const copy = { ...item, pk: keys.run(id).pk, id, place: String(item['place']).replaceAll(run.id, id) };
    const rows = listeners.toWrites({ namespaceId, kind: 'wait', id }, [{ type: 't', context: {} }], details);
    return [{ do: 'put', table: 'runs', item: copy }, ...rows];
  });
  return ids;
}

describe(`${CROWD} runs that wait for one event`, () => {
  test('are each woken once, although the router crashes repeatedly', async () => {
    const answers = new Map<string, number>();
    const { memory, ports } = portsOf(answers);
    await namespaces.create(ports, 'crowd');
    const namespace = await namespaces.need(ports, 'crowd');
    const source = 'states:\n- {id: a, type: consumeEvent, event: {type: t}}\n';
    const opened = await workflows.create(ports, 'crowd', '/waits', source);
    const ids = await copyWait(ports, namespace, opened);
    await receive(ports, namespace, eventOf('e1'));
    const [message] = memory.messages.splice(0);
    if (message === undefined) throw new Error('nothing was sent');

    const effort = await deliver(ports, message, IS_FULL ? [4_000, 1_500, 30, 3_000] : [600, 300, 30, 600]);
    report('waits', effort);

    expect(effort.crashes).toBe(4);
    expect(effort.rounds).toBeGreaterThan(1);
    // A page has at most 1 MB.
    expect(effort.largestPage).toBeLessThanOrEqual(5_000);
    // Each wait costs a read and a write. A crash repeats the reads of one page.
    expect(effort.calls).toBeLessThan(CROWD * 2 + effort.crashes * 1_000 + 200);
    expect(new Set(answers.keys())).toEqual(new Set(ids));
    await each(CROWD / 100, async (part) => {
      const found = await runs.findMany(ports, ids.slice(part * 100, (part + 1) * 100));
      // Stored once, woken once: a second commit would have made it three.
      expect(found.map((run) => [run?.seq, run?.processedEventIds.length])).toEqual(found.map(() => [2, 1]));
    });
    expect((await events.need(ports, namespace.id, 'e1')).isRouted).toBe(true);
    const again = await deliver(ports, message, []);
    expect([again.calls, again.rounds]).toEqual([1, 1]);
  });
});

/** Stores many copies of a workflow, with their listeners. */
async function copyWorkflow(ports: RunnerPorts, namespace: namespaces.Namespace, opened: workflows.Opened) {
  await ensureMachine(ports, opened.revision, 'firstWait');
  const { node } = opened;
  const places = [keys.node(namespace.id, node.name), keys.revision(node.id, opened.revision.id)];
  const [nodeItem, revisionItem] = await ports.table.get(places);
  if (nodeItem === undefined || revisionItem === undefined) throw new Error('the workflow is not where it was stored');
  const copyOf = (number: number): Write[] => {
    const [id, name] = [`${node.id.slice(0, -6)}${String(900_000 + number)}`, `flow-${number}`];
    const place = { namespace, id, path: `/${name}` };
    return [
      { do: 'put', table: 'catalog', item: { ...nodeItem, sk: name, id } },
      { do: 'put', table: 'catalog', item: { ...revisionItem, pk: keys.revisions(id).pk } },
      ...listeners.startWrites(place, { before: undefined, after: opened.revision.plan }, 0),
    ];
  };
  await writeCopies(ports, copyOf);
}

describe(`${CROWD} workflows that one event starts`, () => {
  test('each start once, although the router crashes repeatedly', async () => {
    const { memory, ports, started } = portsOf(new Map());
    await namespaces.create(ports, 'starts');
    const namespace = await namespaces.need(ports, 'starts');
    const source = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';
    await copyWorkflow(ports, namespace, await workflows.create(ports, 'starts', '/flow', source));
    await receive(ports, namespace, eventOf('e1'));
    const [message] = memory.messages.splice(0);
    if (message === undefined) throw new Error('nothing was sent');
    const effort = await deliver(ports, message, IS_FULL ? [5_000, 4_000, 30] : [600, 600, 30]);
    report('starts', effort);
    expect(effort.crashes).toBe(3);
    expect(effort.rounds).toBeGreaterThan(1);
    // A page has at most 1 MB.
    expect(effort.largestPage).toBeLessThanOrEqual(5_000);
    // The copies and the original.
    expect(started.size).toBe(CROWD + 1);
    const { pageInfo } = await instances.list(ports, 'starts', toListRequest({ limit: ['1'] }));
    expect(pageInfo.total).toBe(CROWD + 1);
  });
});
