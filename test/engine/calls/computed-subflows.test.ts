import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

/** Says which workflow ran. */
const says = (name: string) => `states: [{id: a, type: noop, transform: {ran: ${name}, n: jq(.n // 0)}}]`;

const TREE = {
  'tools/search': says('search'),
  'tools/slow': `states: [{id: nap, type: delay, duration: PT10S, transform: {ran: slow}}]`,
  'tools/fails': 'states: [{id: a, type: error, error: tool.bad, message: no}]',
  'tools/listens': 'start: {type: event, event: {type: x}}\nstates: [{id: a, type: noop}]',
  'tools/web/deep': says('deep'),
  admin: says('admin'),
  search: says('other'),
};

const FUNCTION = "{id: tool, type: subflow, workflow: 'jq(.tool)', allowed: [tools/*]}";
const ACTION = '- {id: go, type: action, action: {function: tool}, transform: jq(.return)}\n';

interface Ended {
  readonly main: Run;
  readonly children: readonly Run[];
}

/** Runs the workflow `flows/main`, whose tools are in the folder `flows/tools`. */
async function run(input: object, states = ACTION, called = FUNCTION): Promise<Ended> {
  const world = new World(database);
  try {
    const tree = Object.entries(TREE).map(([path, yaml]) => [`flows/${path}`, yaml] as const);
    await world.store({ ...Object.fromEntries(tree), 'flows/main': `functions: [${called}]\nstates:\n${states}` });
    const { id } = await world.execute('flows/main', JSON.stringify(input));
    await world.pass();
    expect(unfinishedOf(world)).toEqual([]);
    const found = await runsOf(world);
    const main = found.find((one) => one.id === id);
    if (main === undefined) throw new Error('there is no such run');
    return { main, children: found.filter((one) => one.id !== id) };
  } finally {
    await world.close();
  }
}

const outputOf = async (...args: Parameters<typeof run>): Promise<unknown> => (await run(...args)).main.data;

describe('a computed subflow', () => {
  test('is the one that the data names, in place or in a machine', async () => {
    expect(await outputOf({ tool: 'tools/search', n: 1 })).toEqual({ ran: 'search', n: 1 });
    expect(await outputOf({ tool: '/flows/tools/search', n: 2 })).toEqual({ ran: 'search', n: 2 });
    expect(await outputOf({ tool: 'tools/slow' })).toEqual({ ran: 'slow' });
  });

  test('may be computed in a part of its path, and by JavaScript', async () => {
    const part =
      '{id: tool, type: subflow, workflow: \'tools/js(return data["tool"])\', allowed: [/flows/tools/search]}';
    expect(await outputOf({ tool: 'search' }, ACTION, part)).toMatchObject({ ran: 'search' });
  });

  test('is chosen for each element of a foreach, and for each action of a parallel', async () => {
    const each = '- {id: go, type: foreach, array: jq(.list), action: {function: tool}, transform: {r: jq(.return)}}\n';
    const list = [{ tool: 'tools/search', n: 1 }, { tool: 'tools/slow' }, { tool: 'tools/search', n: 2 }];
    expect(await outputOf({ list }, each)).toEqual({
      r: [{ ran: 'search', n: 1 }, { ran: 'slow' }, { ran: 'search', n: 2 }],
    });
    const both =
      '- {id: go, type: parallel, actions: [{function: tool}, {function: tool}], transform: {r: jq(.return)}}\n';
    const { main, children } = await run({ tool: 'tools/slow' }, both);
    expect(main.data).toEqual({ r: [{ ran: 'slow' }, { ran: 'slow' }] });
    expect(children.map(({ path }) => path)).toEqual(['/flows/tools/slow', '/flows/tools/slow']);
  });

  test('is chosen again by a retry', async () => {
    const retrying = ACTION.replace('tool}', 'tool, retries: {max_attempts: 2, delay: PT1S, codes: [tool]}}');
    const { main, children } = await run({ tool: 'tools/fails' }, retrying);
    expect(main.code).toBe('service.retries.exceeded');
    expect(children.map(({ path }) => path)).toEqual(Array.from({ length: 3 }, () => '/flows/tools/fails'));
  });

  test('may be called without waiting for it', async () => {
    const states = '- {id: go, type: action, async: true, action: {function: tool}, transform: {sent: true}}\n';
    const { main, children } = await run({ tool: 'tools/search' }, states);
    expect(main.data).toEqual({ sent: true });
    expect(children.map(({ path, status }) => [path, status])).toEqual([['/flows/tools/search', 'complete']]);
  });

  test.each([
    ['a workflow elsewhere', 'admin'],
    ['a path that leaves the allowed folder', 'tools/../admin'],
    ['a path from the root', '/flows/admin'],
    ['the same name in another folder', 'search'],
    ['a folder below', 'tools/web/deep'],
    ['the folder itself', 'tools'],
    ['a ref that is not allowed', 'tools/search:latest'],
    ['an empty text', ''],
    ['no text', { path: 'tools/search' }],
  ])('is not allowed: %s', async (_, tool) => {
    const { main, children } = await run({ tool });
    expect(main.code).toBe('service.subflow.notAllowed');
    expect(main.message).toMatch(/is no workflow that the function may call: allowed are tools\/\*$/);
    expect(children).toEqual([]);
  });

  test.each([
    ['jq(.tool)', /is null, by jq\(\.tool\): allowed are tools\/\*; write \/\/ ""/],
    ['tools/jq(.tool.name)', /is null, by jq\(\.tool\.name\)/],
    ['js(return data["tool"])', /is null, by js\(/],
  ])('is not allowed where the value is missing: %s', async (workflow, message) => {
    const called = `{id: tool, type: subflow, workflow: '${workflow}', allowed: [tools/*]}`;
    for (const input of [{}, { tool: null }]) {
      const { main, children } = await run(input, ACTION, called);
      expect(main.code).toBe('service.subflow.notAllowed');
      expect(main.message).toMatch(message);
      expect(children).toEqual([]);
    }
  });

  test('fails as any query where the query itself fails', async () => {
    const called = "{id: tool, type: subflow, workflow: 'jq(.tool.name)', allowed: [tools/*]}";
    expect((await run({ tool: 'text' }, ACTION, called)).main.code).toBe('service.jq.badCommand');
  });

  test('may have a ref that is allowed', async () => {
    const called = "{id: tool, type: subflow, workflow: 'jq(.tool)', allowed: ['tools/*:latest']}";
    expect(await outputOf({ tool: 'tools/search:latest' }, ACTION, called)).toMatchObject({ ran: 'search' });
    expect((await run({ tool: 'tools/search' }, ACTION, called)).main.code).toBe('service.subflow.notAllowed');
  });

  test('fails with codes that can be caught, where it is not allowed and where it does not exist', async () => {
    const catching = `- id: go
  type: action
  action: {function: tool}
  catch: [{error: '^service\\.subflow\\.', transition: explain}]
- {id: explain, type: noop, transform: 'jq({why: .error.code})'}
`;
    expect(await outputOf({ tool: 'admin' }, catching)).toEqual({ why: 'service.subflow.notAllowed' });
    expect(await outputOf({ tool: 'tools/none' }, catching)).toEqual({ why: 'service.subflow.notFound' });
  });

  test('collects the failures of a foreach that collects them', async () => {
    const each = `- id: go
  type: foreach
  array: jq(.list)
  collect: errors
  action: {function: tool}
  transform: 'jq({r: [.return.results[]?.ran], codes: [.return.errors[]?.code]})'
`;
    const list = [{ tool: 'tools/search' }, { tool: 'admin' }, { tool: 'tools/none' }];
    expect(JSON.stringify(await outputOf({ list }, each))).toContain(
      '"codes":["service.subflow.notAllowed","service.subflow.notFound"]',
    );
  });

  test('fails as a plain subflow where the workflow cannot be called', async () => {
    expect((await run({ tool: 'tools/listens' })).main.code).toBe('service.workflow.invoke');
  });

  test('does not see the secrets of the action', async () => {
    const states = '- {id: go, type: action, action: {function: tool, secrets: [KEY], input: {}}}\n';
    const called = "{id: tool, type: subflow, workflow: 'jq(.secrets.KEY)', allowed: ['*']}";
    expect((await run({}, states, called)).main.message).toMatch(/is null, by jq\(\.secrets\.KEY\)/);
  });
});
