import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { CallSite } from '../../../lib/domain/runs/calls.ts';
import { append, type UnwrittenLine } from '../../../lib/domain/runs/log-lines.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { runIdIn } from '../../../lib/domain/storage/keys.ts';
import { CallerLog } from '../../../lib/engine/containers/caller-log.ts';
import { deliver } from '../../../lib/engine/delivery/deliver.ts';
import { continueAsNew } from '../../../lib/engine/machines/continue-as-new.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { blankRun } from '../../../lib/engine/run/new-run.ts';
import { closeWorlds, linesOf, openWorld } from '../containers/service-space.ts';
import { openDatabase, type World } from '../world/engine-world.ts';
import { ProgrammedContainers } from '../world/programmed-containers.ts';
import { unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const NAP = 'states: [{id: nap, type: delay, duration: PT9S}]';
const lineOf = (text: string, at = 0): UnwrittenLine => ({ at, level: 'info', text, state: 'nap' });

async function begun(main: string): Promise<World> {
  const world = openWorld(database, new ProgrammedContainers());
  await world.store({ main, kid: NAP });
  return world;
}

async function find(world: World, id: string): Promise<runs.Run> {
  const found = await runs.find(world.reliable, id);
  if (found === undefined) throw new Error('there is no such run');
  return found;
}

/** Ports that add a line to the log of the run just before its next commit. */
function disturbed(world: World, id: () => string | undefined): RunnerPorts {
  const { table } = world.ports;
  let isDone = false;
  const write: typeof table.write = async (writes) => {
    const run = id();
    if (!isDone && run !== undefined) {
      isDone = true;
      await append(world.reliable, run, [lineOf('in between')]);
    }
    return table.write(writes);
  };
  return { ...world.ports, table: { ...table, write } };
}

describe('a line that is added to the log of a run', () => {
  test('changes nothing else of a run that waits', async () => {
    const world = await begun(NAP);
    const { id } = await world.execute('main', '{}');
    await world.pass(world.time.clock.now());
    const before = await find(world, id);
    expect(await append(world.reliable, id, [lineOf('one'), lineOf('two')])).toBe(1);
    const { tail, lastLine, seq, ...after } = await find(world, id);
    const { tail: old, lastLine: last, seq: number, ...rest } = before;
    expect(after).toEqual(rest);
    expect(seq).toBe(number + 1);
    expect(tail.slice(0, -2)).toEqual(old);
    expect(tail.slice(-2).map(({ t, text }) => [t, text])).toEqual([
      [last + 1, 'one'],
      [last + 2, 'two'],
    ]);
    expect(lastLine).toBe(last + 2);
    await world.pass();
    expect((await find(world, id)).status).toBe('complete');
  });

  test('is stored also after the end of the run', async () => {
    const world = await begun('states: [{id: a, type: noop}]');
    const { id } = await world.execute('main', '{}');
    await world.pass();
    const long = 'x'.repeat(5000);
    await append(world.reliable, id, [lineOf(long)]);
    await append(world.reliable, id, [lineOf('after')]);
    const texts = (await linesOf(world, await find(world, id))).map(({ text }) => text);
    expect(texts.slice(-3)).toEqual(['Workflow completed.', long, 'after']);
  });

  test('is rejected when there is no such run', async () => {
    const world = await begun(NAP);
    expect(await append(world.reliable, '00000000-0000-7000-8000-000000000000', [lineOf('one')])).toBeUndefined();
  });

  test('does not prevent the run from continuing in a new execution', async () => {
    const world = await begun(NAP);
    const { id } = await world.execute('main', '{}');
    await world.pass(world.time.clock.now());
    await continueAsNew(
      disturbed(world, () => id),
      await find(world, id),
    );
    expect(await find(world, id)).toMatchObject({ status: 'pending', executions: 2 });
    await world.pass();
    expect((await find(world, id)).status).toBe('complete');
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('does not prevent a machine from continuing what a request began', async () => {
    const world = await begun(`functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: a, type: action, action: {function: kid}}]`);
    let stored: string | undefined;
    const watching = disturbed(world, () => stored);
    const { write } = watching.table;
    const noting: typeof write = async (writes) => {
      await write(writes);
      for (const one of writes) {
        if (one.do === 'put' && one.item['as'] === '/main') stored = runIdIn(one.item.pk);
      }
    };
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input: Buffer.from('{}') };
    const ports = { ...watching, table: { ...watching.table, write: noting } };
    // Virtual time passes only while no port has pending work: the request itself is not counted.
    const ended = executeAndWait(ports, invocation);
    let isOver = false;
    ended.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await world.pass();
      await setTimeout(5);
    }
    expect((await ended).run).toMatchObject({ status: 'complete' });
  });
});

/** A run that is not stored, and a container call for it. */
function callerOf({ clock }: RunnerPorts): { readonly run: runs.Run; readonly call: CallSite } {
  const id = clock.uuid();
  const workflow = { id: 'w', path: '/w' };
  const named = { id, namespaceId: 'n', namespace: 'n', workflowId: 'w', path: '/w', revision: 'r', as: '/w' };
  const given = { invoker: 'api', data: {}, input: new Uint8Array() };
  return {
    run: { ...blankRun(clock.now()), kind: 'workflow', ...named, ...given, seq: 1 },
    call: { caller: id, workflow, state: 'a', step: 1, until: 0, files: [] },
  };
}

test('a line that a container logs before its caller is stored is not lost', async () => {
  const { reliable: ports } = await begun(NAP);
  const { run: pending, call } = callerOf(ports);
  const run: runs.Run = { ...pending, status: 'complete' };
  const wasRead = Promise.withResolvers<void>();
  const get: typeof ports.table.get = async (keys) => {
    const items = await ports.table.get(keys);
    wasRead.resolve();
    return items;
  };
  const log = new CallerLog({ ...ports, table: { ...ports.table, get } }, call, false);
  await log.add('early');
  const closed = log.close();
  await wasRead.promise;
  await runs.commit(ports, run);
  await deliver(ports, run);
  await closed;
  expect((await runs.find(ports, run.id))?.tail.map(({ text }) => text)).toEqual(['early']);
});

test('a line that a container logs during a write is in the next write', async () => {
  const { reliable: ports } = await begun(NAP);
  const { run, call } = callerOf(ports);
  await runs.commit(ports, run);
  const late = ['second', 'third'];
  const write: typeof ports.table.write = async (writes) => {
    const next = late.shift();
    if (next !== undefined) await log.add(next);
    return ports.table.write(writes);
  };
  const log: CallerLog = new CallerLog({ ...ports, table: { ...ports.table, write } }, call, true);
  await log.add('first');
  await log.close();
  expect((await runs.find(ports, run.id))?.tail.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
});

test('a caller that is not stored yet is not read for each line', async () => {
  const world = await begun(NAP);
  const { reliable: ports } = world;
  const { run, call } = callerOf(ports);
  let reads = 0;
  const get: typeof ports.table.get = (wanted) => {
    reads += 1;
    return ports.table.get(wanted);
  };
  const log = new CallerLog({ ...ports, table: { ...ports.table, get } }, call, true);
  const texts = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(1024)}`);
  for (const text of texts) await log.add(text);
  expect(reads).toBeLessThan(texts.length / 10);
  await runs.commit(ports, run);
  await log.close();
  const lines: string[] = [];
  for await (const part of runs.logParts(ports, await find(world, run.id))) lines.push(...part.map(({ text }) => text));
  expect(lines).toEqual(texts);
});
