import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import * as tree from '../../lib/domain/tree/tree.ts';
import { receive } from '../../lib/engine/events/broadcasting.ts';
import { closeWorlds, observe, openWorld, run, workflowOf } from '../engine/containers/service-space.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import { body, failed, ProgrammedContainers } from '../engine/world/programmed-containers.ts';
import { CLAUSES } from './clause-tests.ts';
import { CLAUSE_EXAMPLES, type ClauseExample } from './clauses.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

/** The lines of a log that are expected, in the order of the log. */
const among = (log: readonly string[], expected: readonly string[] = []): string[] =>
  log.filter((line) => expected.includes(line));

describe('a clause of the workflow language', () => {
  test.each(CLAUSE_EXAMPLES.map((one): [string, ClauseExample] => [`${one.clause}: ${one.says}`, one]))(
    '%s',
    async (_, one) => {
      const { states, kid, input, act, status = 'complete', code = '', message, data, log } = one;
      const given = {
        ...(kid === undefined ? {} : { kid }),
        ...(act === undefined ? {} : { act }),
        input: input ?? {},
      };
      const observed = await run(database, workflowOf(states), given);
      const { main } = observed;
      expect(main).toMatchObject({ status, code, ...(message === undefined ? {} : { message }) });
      for (const [name, value] of Object.entries(data ?? {})) expect(main.data[name]).toEqual(value);
      expect(among(observed.log, log)).toEqual(log ?? []);
    },
  );

  test.each(CLAUSES)('$clause ($about) has a test', ({ clause, tests }) => {
    const examples = CLAUSE_EXAMPLES.filter((one) => one.clause === clause);
    expect(examples.length + tests.length).toBeGreaterThan(0);
    const missing = tests.filter((file) => !existsSync(join(import.meta.dirname, '..', file)));
    expect(missing).toEqual([]);
  });

  test('that an example shows is in the list', () => {
    const known = new Set(CLAUSES.map(({ clause }) => clause));
    expect(CLAUSE_EXAMPLES.filter(({ clause }) => !known.has(clause))).toEqual([]);
  });
});

describe('a retry (7.5)', () => {
  const retrying = (action: string): string =>
    `- {id: a, type: action, action: {${action}, retries: {max_attempts: 2, delay: PT5S, codes: ['.*']}}, catch: [{error: '.*'}]}`;

  test('evaluates its input again', async () => {
    let calls = 0;
    const { containers } = await run(
      database,
      workflowOf(retrying('function: f, input: {at: js(return Math.random())}')),
      {
        act: ({ input }) => (++calls < 3 ? failed('busy', 'later') : body(input)),
      },
    );
    const inputs = containers.received.map(({ input }) => input['at']);
    expect([inputs.length, new Set(inputs).size]).toEqual([3, 3]);
  });

  test('fails the state with the code of what keeps it from being made', async () => {
    const containers = new ProgrammedContainers();
    const world = openWorld(database, containers);
    await world.store({
      main: workflowOf(retrying('function: kid, input: {n: 1}')),
      kid: 'states: [{id: x, type: error, error: busy, message: later}]',
    });
    const { id } = await world.execute('main', '{}');
    await world.pass(world.time.clock.now() + 2000);
    await tree.remove(world.reliable, world.namespace, '/kid', false);
    await world.pass();
    const { main } = await observe(world, containers, id);
    expect(main).toMatchObject({ status: 'failed', code: 'service.workflow.notfound' });
  });
});

describe('eventsAnd (10.12)', () => {
  test('stores a further event of a type under the type and its place in the list', async () => {
    const containers = new ProgrammedContainers();
    const world = openWorld(database, containers);
    await world.store({
      main: 'states: [{id: a, type: eventsAnd, events: [{type: t}, {type: u}, {type: t}]}]',
    });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const { id } = await world.execute('main', '{}');
    await world.pass(world.time.clock.now() + 1000);
    for (const [event, type] of [
      ['1', 't'],
      ['2', 'u'],
      ['3', 't'],
    ] as const)
      await receive(world.reliable, namespace, { specversion: '1.0', id: event, source: 's', type });
    await world.deliver();
    await world.pass();
    const { main } = await observe(world, containers, id);
    expect(Object.keys(main.data).toSorted()).toEqual(['t', 't.2', 'u']);
  });
});
