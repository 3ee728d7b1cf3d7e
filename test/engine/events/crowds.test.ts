import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import type { Pause } from '../../../lib/domain/runs/waits.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { toListRequest } from '../../../lib/domain/storage/pages.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { route } from '../../../lib/engine/events/router.ts';
import { ensureMachine } from '../../../lib/engine/executions/machines.ts';
import type { EnginePorts } from '../../../lib/engine/ports.ts';
import { newRun } from '../../../lib/engine/run/new-run.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Table, Write } from '../../../lib/ports/table.ts';
import { Died } from '../world/mortal.ts';
import { eventOf, QuietPorts } from '../world/quiet-ports.ts';

const CROWD = 10_000;
const ABREAST = 32;
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
  await Promise.all(Array.from({ length: ABREAST }, worker));
}

/** The table as a process sees it that dies after so many calls; what it reads at once is measured. */
class MortalTable {
  largestPage = 0;
  private left: number;
  constructor(left: number) {
    this.left = left;
  }

  private async call<T>(kind: keyof typeof calls, work: () => Promise<T>): Promise<T> {
    this.left -= 1;
    if (this.left < 0) throw new Died('the process died');
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

/** What the routers that worked on one event needed, and what they did. */
interface Story {
  readonly deaths: number;
  readonly rounds: number;
  readonly largestPage: number;
  readonly milliseconds: number;
  readonly calls: number;
}

/** Brings the message to one router after the other; the first ones die after so many calls. */
async function deliver(ports: EnginePorts, first: Message, lives: readonly number[]): Promise<Story> {
  const queue = [first];
  const told = { deaths: 0, rounds: 0, largestPage: 0 };
  const [begun, before] = [performance.now(), { ...calls }];
  const left = [...lives];
  while (queue.length > 0) {
    const [message] = queue;
    if (message === undefined) break;
    const table = new MortalTable(left.shift() ?? Number.POSITIVE_INFINITY);
    const bus = { ...ports.bus, publish: async (more: readonly Message[]) => void queue.push(...more) };
    try {
      await route({ ...ports, table: table.port, bus }, message);
      queue.shift();
      told.rounds += 1;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      told.deaths += 1;
    }
    told.largestPage = Math.max(told.largestPage, table.largestPage);
  }
  const made = calls.get + calls.query + calls.write - before.get - before.query - before.write;
  return { ...told, milliseconds: Math.round(performance.now() - begun), calls: made };
}

const told = (what: string, { milliseconds, calls: made, rounds, deaths, largestPage }: Story): void =>
  console.log(
    `${what}: ${milliseconds} ms, ${made} calls (${(made / CROWD).toFixed(2)} each), ${rounds} rounds, ` +
      `${deaths} deaths, at most ${largestPage} listeners in memory`,
  );

/** Ports over the embedded database; executions are as Step Functions: a token is answered once. */
function portsOf(answers: Map<string, number>) {
  const quiet = new QuietPorts();
  const started = new Set<string>();
  const ports: EnginePorts = {
    ...quiet.ports,
    table: database.table,
    blobs: memoryBlobs(),
    executions: {
      ...quiet.ports.executions,
      start: async (_handle, name) => void started.add(name),
      answer: async (token) => {
        answers.set(token, (answers.get(token) ?? 0) + 1);
        return answers.get(token) === 1;
      },
    },
  };
  return { quiet, ports, started };
}

const pauseOf = (token: string, since: number): Pause => ({
  number: 1,
  state: 'a',
  isWaiting: true,
  entered: since,
  origin: since,
  until: since + 3_600_000,
  wake: since + 3_600_000,
  listening: { mode: 'one', filters: [{ type: 't', context: {} }], received: [null], since, token },
});

/** Writes copies of something, a transaction at a time. */
async function writeCopies(ports: EnginePorts, copyOf: (number: number) => readonly Write[]): Promise<void> {
  const all = Array.from({ length: CROWD }, (_, number) => copyOf(number));
  const together = 30;
  await each(Math.ceil(CROWD / together), (part) => {
    return ports.table.write(all.slice(part * together, (part + 1) * together).flat());
  });
}

/** Many runs that wait, as each of them would have stored itself; their ids. */
async function copyWait(ports: EnginePorts, { id: namespaceId }: namespaces.Namespace, opened: workflows.Opened) {
  const run = { ...newRun(ports, opened, new Uint8Array(), 'api'), seq: 1, pauses: 1 };
  const { created } = await runs.commit(ports, { ...run, pause: pauseOf(run.id, run.created) });
  const [item] = await ports.table.get([keys.run(run.id)]);
  if (item === undefined) throw new Error('the run is not where it was stored');
  const ids = Array.from({ length: CROWD }, (_, number) => `${run.id.slice(0, -6)}${String(900_000 + number)}`);
  const details = { pause: 1, mode: 'simple', path: '/waits', created } as const;
  await writeCopies(ports, (number) => {
    const id = ids[number] ?? '';
    const copy = { ...item, pk: keys.run(id).pk, id, place: String(item['place']).replaceAll(run.id, id) };
    const rows = listeners.toWrites({ namespaceId, kind: 'wait', id }, [{ type: 't', context: {} }], details);
    return [{ do: 'put', table: 'runs', item: copy }, ...rows];
  });
  return ids;
}

describe(`${CROWD} runs that wait for one event`, () => {
  test('are all woken, each once, although the router dies again and again', async () => {
    const answers = new Map<string, number>();
    const { quiet, ports } = portsOf(answers);
    await namespaces.create(ports, 'crowd');
    const namespace = await namespaces.need(ports, 'crowd');
    const source = 'states:\n- {id: a, type: consumeEvent, event: {type: t}}\n';
    const opened = await workflows.create(ports, 'crowd', '/waits', source);
    const ids = await copyWait(ports, namespace, opened);
    await receive(ports, namespace, eventOf('e1'));
    const [message] = quiet.messages.splice(0);
    if (message === undefined) throw new Error('nothing was sent');

    const story = await deliver(ports, message, [4_000, 1_500, 30, 3_000]);
    told('waits', story);

    expect(story.deaths).toBe(4);
    expect(story.rounds).toBeGreaterThan(1);
    expect(story.largestPage).toBeLessThanOrEqual(500);
    // Each wait costs a read and a write; what a death repeats is one page of them, and reads only.
    expect(story.calls).toBeLessThan(CROWD * 2 + story.deaths * 1_000 + 200);
    expect(new Set(answers.keys())).toEqual(new Set(ids));
    await each(CROWD / 100, async (part) => {
      const found = await runs.findMany(ports, ids.slice(part * 100, (part + 1) * 100));
      // Stored once, woken once: a second commit would have made it three.
      expect(found.map((run) => [run?.seq, run?.heard.length])).toEqual(found.map(() => [2, 1]));
    });
    expect((await events.need(ports, namespace.id, 'e1')).isRouted).toBe(true);
    const again = await deliver(ports, message, []);
    expect([again.calls, again.rounds]).toEqual([1, 1]);
  }, 240_000);
});

/** Many workflows like the one given, as storing each of them would have left them. */
async function copyWorkflow(ports: EnginePorts, namespace: namespaces.Namespace, opened: workflows.Opened) {
  await ensureMachine(ports, opened.revision);
  const { node } = opened;
  const places = [keys.node(namespace.id, node.name), keys.revision(node.id, opened.revision.id)];
  const [nodeItem, revisionItem] = await ports.table.get(places);
  if (nodeItem === undefined || revisionItem === undefined) throw new Error('the workflow is not where it was stored');
  const copyOf = (number: number): Write[] => {
    const [id, name] = [`${node.id.slice(0, -6)}${String(900_000 + number)}`, `flow-${number}`];
    const place = { namespaceId: namespace.id, id, path: `/${name}` };
    return [
      { do: 'put', table: 'catalog', item: { ...nodeItem, sk: name, id } },
      { do: 'put', table: 'catalog', item: { ...revisionItem, pk: keys.workflow(id) } },
      ...listeners.startWrites(place, undefined, opened.revision.plan, 0),
    ];
  };
  await writeCopies(ports, copyOf);
}

describe(`${CROWD} workflows that one event starts`, () => {
  test('start once each, although the router dies again and again', async () => {
    const { quiet, ports, started } = portsOf(new Map());
    await namespaces.create(ports, 'starts');
    const namespace = await namespaces.need(ports, 'starts');
    const source = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';
    await copyWorkflow(ports, namespace, await workflows.create(ports, 'starts', '/flow', source));
    await receive(ports, namespace, eventOf('e1'));
    const [message] = quiet.messages.splice(0);
    if (message === undefined) throw new Error('nothing was sent');
    const story = await deliver(ports, message, [5_000, 4_000, 30]);
    told('starts', story);
    expect(story.deaths).toBe(3);
    expect(story.rounds).toBeGreaterThan(1);
    expect(story.largestPage).toBeLessThanOrEqual(500);
    // The copies, and the one that they are copies of.
    expect(started.size).toBe(CROWD + 1);
    const { pageInfo } = await instances.list(ports, 'starts', toListRequest({ limit: ['1'] }));
    expect(pageInfo.total).toBe(CROWD + 1);
  }, 240_000);
});
