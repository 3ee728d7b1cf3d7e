import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as variables from '../../../lib/domain/namespaces/variables.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import type { ContainerFile, ContainerResult } from '../../../lib/ports/containers.ts';
import { openDatabase } from '../world/engine-world.ts';
import { type Behaviour, body, failed, ProgrammedContainers } from '../world/programmed-containers.ts';
import { closeWorlds, linesOf, observe, openWorld, run, workflowOf } from './service-space.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const shown = (files: readonly ContainerFile[] = []) =>
  files.map(({ name, type, bytes }) => [name, type, Buffer.from(bytes).toString()]);

const calling = (files: string, more = '') =>
  `- {id: a, type: action, action: {function: f, files: [${files}]${more}}, catch: [{error: 'var|jq', transition: c}]}
- {id: c, type: noop, transform: 'jq({code: .error.code})'}`;

describe('the files of a container', () => {
  test('hold the variables of their scopes as the run sees them', async () => {
    const states = `- id: set
  type: setter
  variables:
  - {key: one, scope: instance, value: 1}
  - {key: two, scope: workflow, value: 2}
  - {key: three, scope: namespace, value: 3}
  - {key: four, scope: thread, value: 4}
  transition: a
${calling('{key: one}, {key: two, scope: workflow, as: \'jq(.dir + "/two.txt")\'}, {key: three, scope: namespace, type: base64}, {key: four, scope: thread, type: tar.gz}, {key: five, type: tar}')}`;
    const { main, containers } = await run(database, workflowOf(states), { input: { dir: 'd' } });
    expect(main.status).toBe('complete');
    expect(shown(containers.received[0]?.call.files)).toEqual([
      ['one', 'plain', '1'],
      ['d/two.txt', 'plain', '2'],
      ['three', 'base64', '3'],
      ['four', 'tar.gz', '4'],
      ['five', 'tar', ''],
    ]);
  });

  test.each([
    ['a key that is not a variable name', "{key: 'a b'}", 'service.var.invalidKey'],
    ['an empty key', `{key: 'jq("")', as: x}`, 'service.var.invalidKey'],
    ['an unknown scope', '{key: a, scope: galaxy}', 'service.var.invalidScope'],
    ['a key that is not text', "{key: 'jq(5)'}", 'service.jq.notString'],
    ['a bad query', "{key: 'jq(.a.b.)'}", 'service.jq.badCommand'],
  ])('fail the state with %s', async (_what, files, code) => {
    const { main, containers } = await run(database, workflowOf(calling(files)));
    expect(main.data).toMatchObject({ code });
    expect(containers.received).toEqual([]);
  });

  test.each([
    ['two of one name', '{key: a}, {key: b, as: a}', 'multiple files with same name: a'],
    ['an unknown type', '{key: a, type: zip}', "the file 'a' has the type 'zip': choose plain, base64, tar, tar.gz"],
  ])('fail the run with %s, which cannot be caught', async (_what, files, message) => {
    const { main } = await run(database, workflowOf(calling(files)));
    expect(main).toMatchObject({ status: 'failed', code: 'service.internal.error', message });
  });

  test('may be named by secrets, which no error shows', async () => {
    const containers = new ProgrammedContainers();
    const world = openWorld(database, containers);
    await world.store({
      main: workflowOf(calling("{key: 'jq(.secrets.KEY)'}", ', secrets: [KEY], input: {s: jq(.secrets.KEY)}')),
    });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const keep = (value: string) => secrets.set(world.reliable, namespace, 'KEY', Buffer.from(value));
    await keep('quiet');
    await world.execute('main', '{}');
    await world.pass();
    expect(containers.received[0]).toMatchObject({ input: { s: 'quiet' }, call: { files: [{ name: 'quiet' }] } });
    await keep('not a key');
    const { id } = await world.execute('main', '{}');
    await world.pass();
    const { main, lines } = await observe(world, containers, id);
    expect(main.data).toMatchObject({ code: 'service.var.invalidKey' });
    expect(lines.join('\n')).not.toContain('not a key');
  });
});

const left = (...outputs: readonly [ContainerResult['outputs'][number]['scope'], string, string][]) =>
  outputs.map(([scope, name, text]) => ({ scope, name, bytes: Buffer.from(text) }));

describe('the outputs of a container', () => {
  const states = `- {id: a, type: action, action: {function: f}, catch: [{error: '*', transition: b}], transition: b}
- id: b
  type: getter
  variables: [{key: mine, scope: instance}, {key: ours, scope: workflow}, {key: all, scope: namespace}]
  transform: jq(.var)`;
  const outputs = left(['instance', 'mine', '1'], ['workflow', 'ours', '"w"'], ['namespace', 'all', '[3]']);

  test('become variables', async () => {
    const { main, log } = await run(database, workflowOf(states), { act: () => ({ ...body('x'), outputs }) });
    expect(main.data).toEqual({ mine: 1, ours: 'w', all: [3] });
    expect(log).toContain("Created instance variable 'mine'.");
  });

  test('become variables also when the call fails', async () => {
    const { main } = await run(database, workflowOf(states), { act: () => ({ ...failed('c', 'm'), outputs }) });
    expect(main.data).toEqual({ mine: 1, ours: 'w', all: [3] });
  });

  test('are all stored when they do not fit into one commit', async () => {
    const many = Array.from({ length: 120 }, (_, n) => ['instance', `v${n}`, String(n)] as const);
    const { main, world } = await run(database, workflowOf('- {id: a, type: action, action: {function: f}}'), {
      act: () => ({ ...body('x'), outputs: left(...many.map((one) => [...one] as [(typeof one)[0], string, string])) }),
    });
    const found = await Promise.all(
      many.map(([, name]) => variables.find(world.reliable, { scope: 'instance', id: main.id }, name)),
    );
    expect(found.map((one) => Buffer.from(one?.bytes ?? []).toString())).toEqual(many.map(([, , text]) => text));
  });

  test('are rejected in the log under a name that no variable may have', async () => {
    const { main, lines } = await run(database, workflowOf(states), {
      act: () => ({ ...body('x'), outputs: left(['instance', 'a b', '1'], ['instance', 'mine', '2']) }),
    });
    expect(main.data).toMatchObject({ mine: 2 });
    expect(lines.join('\n')).toContain("error 'out/instance/a b' became no variable: a name begins with a letter");
  });
});

describe('a running container', () => {
  const states = '- {id: a, type: action, action: {function: f}}';

  test('reads and writes the variables of its caller', async () => {
    const read: (string | undefined)[] = [];
    const act: Behaviour = async ({ call: { host } }) => {
      const readOne = async (name: string) => {
        const found = await host.variable('workflow', name);
        read.push(found && Buffer.from(found).toString());
      };
      await readOne('seen');
      await host.setVariable('workflow', 'seen', Buffer.from('<b>hi</b>'), 'text/html');
      await host.setVariable('instance', 'own', Buffer.from('1'), undefined);
      await readOne('seen');
      return body('done');
    };
    const { main, world, log } = await run(database, workflowOf(states), { act });
    expect(read).toEqual([undefined, '<b>hi</b>']);
    const kept = await variables.find(world.reliable, { scope: 'workflow', id: main.workflowId }, 'seen');
    expect(kept?.mimeType).toBe('text/html');
    expect(log).toContain("Created instance variable 'own'.");
  });

  test('writes into the log of its caller while the caller waits', async () => {
    const containers = new ProgrammedContainers(async ({ call }, hang) => {
      await call.host.log('first');
      await call.host.log('');
      await call.host.log('second');
      return hang();
    });
    const world = openWorld(database, containers);
    await world.store({ main: workflowOf(states) });
    const { id } = await world.execute('main', '{}');
    const find = async () => {
      const found = await runs.find(world.reliable, id);
      if (found === undefined) throw new Error('there is no such run');
      return found;
    };
    const texts = async () => (await linesOf(world, await find())).map(({ text }) => text);
    const now = world.time.clock.now();
    while (!(await texts()).includes('second')) await world.pass(now);
    expect((await find()).status).toBe('pending');
    containers.answer(containers.received[0]?.call.actionId ?? '', body(1));
    await world.pass();
    const all = await texts();
    expect((await find()).status).toBe('complete');
    expect(all.slice(2).map((text) => text.replace(/'[^']*-[^']*'|\(.*\)/, ''))).toEqual([
      "Sleeping until function 'f' returns .",
      'first',
      'second',
      'Child  returned.',
      'Workflow completed.',
    ]);
    const lines = await find().then((found) => found.tail);
    expect(lines.find(({ text }) => text === 'first')).toMatchObject({ level: 'info', state: 'a' });
    expect(lines.map(({ t }) => t)).toEqual([...new Set(lines.map(({ t }) => t))].toSorted((a, b) => a - b));
  });

  test('loses no line when many containers log at once', async () => {
    const each = "- {id: a, type: foreach, array: 'jq([range(20) | {n: .}])', action: {function: f}}";
    const act: Behaviour = async ({ input, call }) => {
      for (let line = 0; line < 200; line += 1) await call.host.log(`${input['n']} logs ${line}`);
      return body(1);
    };
    const { main, log } = await run(database, workflowOf(each), { act });
    expect(main.status).toBe('complete');
    const logged = log.filter((text) => text.includes(' logs '));
    expect(logged).toHaveLength(20 * 200);
    for (let n = 0; n < 20; n += 1) {
      const own = logged.filter((text) => text.startsWith(`${n} `));
      expect(own).toEqual(own.map((_, line) => `${n} logs ${line}`));
    }
  });

  test('writes into the log of its caller also when it was called asynchronously', async () => {
    const main = workflowOf('- {id: a, type: action, async: true, action: {function: f}}');
    const { log } = await run(database, main, {
      act: async ({ call }) => {
        await call.host.log('from behind');
        return body(1);
      },
    });
    expect(log).toContain('from behind');
  });
});
