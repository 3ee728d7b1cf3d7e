import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { find } from '../../../lib/engine/variables/tree-files.ts';
import { closeWorlds, observe, openWorld, workflowOf } from '../containers/service-space.ts';
import { openDatabase } from '../world/engine-world.ts';
import { type Behaviour, body, ProgrammedContainers } from '../world/programmed-containers.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const noop = (id: string): string => `states:\n- {id: ${id}, type: noop}\n`;

/** A tree around the workflow `/in/main`; each source names its place. */
const TREE = {
  top: noop('top'),
  'in/beside': noop('beside'),
  'in/deep/down': noop('down'),
  'in/json': '{"states": [{"id": "a", "type": "noop"}]}',
};

async function open(main: string, more: Readonly<Record<string, string>> = {}, act?: Behaviour) {
  const containers = new ProgrammedContainers(act);
  const world = openWorld(database, containers);
  await world.store({ ...TREE, 'in/main': main, ...more });
  const run = async (input: object = {}) => {
    const { id } = await world.execute('in/main', JSON.stringify(input));
    await world.pass();
    return observe(world, containers, id);
  };
  return { world, containers, run };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const getting = (...variables: string[]): string => `states:
- {id: a, type: getter, variables: [${variables.join()}], transform: jq(.var), catch: [{error: '*', transition: c}]}
- {id: c, type: noop, transform: 'jq({code: .error.code, msg: .error.msg})'}
`;

/** The value of a file for a getter in `/in/main`. */
async function got(key: string): Promise<unknown> {
  const { run } = await open(getting(`{key: 'jq(.key)', scope: file, as: it}`));
  return (await run({ key })).main.data['it'];
}

describe('a getter of the scope file', () => {
  test.each([
    ['/top', 'top'],
    ['top', 'top'],
    ['./top', 'top'],
    ['/in/deep/down', 'down'],
    ['in/beside', 'beside'],
    ['./in/deep/../beside', 'beside'],
    ['../../../../top', 'top'],
    ['/../../in//beside/', 'beside'],
  ])('reads the source of the workflow at %s', async (key, id) => {
    expect(await got(key)).toBe(base64(noop(id)));
  });

  test.each([
    'nothing',
    'beside',
    './beside',
    '/beside',
    'in/beside/below',
    'in/beside:latest',
    'no such name',
    'TOP',
    '\0',
    `x${'y'.repeat(2000)}`,
    `in/${'deep/'.repeat(3000)}down`,
  ])('returns null for %j, where there is no file', async (key) => {
    expect(await got(key)).toBeNull();
  });

  test('returns the value of a source that is JSON', async () => {
    expect(await got('in/json')).toEqual({ states: [{ id: 'a', type: 'noop' }] });
  });

  test('reads several files, and variables beside them', async () => {
    const { run } = await open(
      getting('{key: ../top, scope: file}', '{key: v, scope: namespace}', '{key: none, scope: file, as: v2}'),
    );
    expect((await run()).main.data).toEqual({ '../top': base64(noop('top')), v: null, v2: null });
  });

  test.each(['/', '.', '..', 'in/deep', '/in'])('throws a catchable error for the directory %s', async (key) => {
    const { run } = await open(getting(`{key: ${key}, scope: file}`));
    const msg = `'${key}' is a directory of the tree, and not a file`;
    expect((await run()).main.data).toMatchObject({ code: 'service.var.invalidKey', msg });
  });

  test('resolves no paths in keys of other scopes', async () => {
    const { run } = await open(getting('{key: top, scope: file}', '{key: ../top, scope: workflow}'));
    expect((await run()).main.data).toMatchObject({ code: 'service.var.invalidKey' });
  });

  test('reads the latest revision', async () => {
    const { world, run } = await open(getting('{key: in/beside, scope: file, as: it}'));
    await run();
    const opened = await workflows.open(world.reliable, world.namespace, '/in/beside');
    await workflows.update({ ...world.reliable }, opened, noop('newer'));
    expect((await run()).main.data).toEqual({ it: base64(noop('newer')) });
  });

  test('resolves paths from the root in any directory', async () => {
    const main = `functions: [{id: f, type: subflow, workflow: deep/kid}]
states: [{id: a, type: action, action: {function: f}, transform: jq(.return)}]
`;
    const { run } = await open(main, { 'in/deep/kid': getting('{key: top, scope: file, as: it}') });
    expect((await run()).main.data).toEqual({ it: base64(noop('top')) });
  });

  test('reads nothing of another namespace, even if it has the name of the deleted one of the run', async () => {
    const { world: other } = await open(noop('main'), { secret: noop('secret') });
    const { world, run } = await open(
      getting(
        `{key: '/${other.namespace}/secret', scope: file}`,
        `{key: '../../${other.namespace}/secret', scope: file}`,
      ),
    );
    expect(Object.values((await run()).main.data)).toEqual([null, null]);
    const { id: namespaceId } = await namespaces.need(world.reliable, world.namespace);
    const reader = { namespace: other.namespace };
    const { id: otherId } = await namespaces.need(other.reliable, other.namespace);
    expect(await find(other.reliable, { ...reader, namespaceId }, '/secret')).toBeUndefined();
    expect(await find(other.reliable, { ...reader, namespaceId: otherId }, '/secret')).toEqual(
      Buffer.from(noop('secret')),
    );
  });
});

const calling = (files: string, more = ''): string =>
  workflowOf(`- {id: a, type: action, action: {function: f, files: [${files}]${more}}, catch: [{error: 'var', transition: c}]}
- {id: c, type: noop, transform: 'jq({code: .error.code, msg: .error.msg})'}`);

describe('files of the scope file in a container', () => {
  test('are sources, each at the path of its key below the directory of the call', async () => {
    const { run, containers } = await open(
      calling(
        "{key: /top, scope: file}, {key: '../top', scope: file, as: t}, {key: 'jq(.dir + \"/down\")', scope: 'jq(\"file\")'}, {key: ./in/beside, scope: file}, {key: ../in/main/../json, scope: file}, {key: none, scope: file, type: tar}",
      ),
    );
    expect((await run({ dir: 'in/deep' })).main.status).toBe('complete');
    const files = containers.received[0]?.call.files ?? [];
    expect(files.map(({ name, type, bytes }) => [name, type, Buffer.from(bytes).toString()])).toEqual([
      ['top', 'plain', TREE.top],
      ['t', 'plain', TREE.top],
      ['in/deep/down', 'plain', TREE['in/deep/down']],
      ['in/beside', 'plain', TREE['in/beside']],
      ['in/json', 'plain', TREE['in/json']],
      ['none', 'tar', ''],
    ]);
  });

  test('fail the run when two have one path', async () => {
    const { run } = await open(calling('{key: in/beside, scope: file}, {key: /in/beside, scope: file}'));
    expect((await run()).main).toMatchObject({ status: 'failed', message: 'multiple files with same name: in/beside' });
  });

  test('need a key', async () => {
    const { run } = await open(calling('{key: \'jq("")\', scope: file, as: x}'));
    const msg = expect.stringContaining('variable key must match regex');
    expect((await run()).main.data).toMatchObject({ code: 'service.var.invalidKey', msg });
  });

  test('fail the call for a directory, before the container is called', async () => {
    const { run, containers } = await open(calling('{key: in/beside, scope: file}, {key: /in/deep, scope: file}'));
    const { main } = await run();
    const msg = 'files[1] of the action is a directory of the tree, and not a file';
    expect(main.data).toMatchObject({ code: 'service.var.invalidKey', msg });
    expect(containers.received).toEqual([]);
  });

  test('do not show the secret that names a directory in the error', async () => {
    const { world, run } = await open(
      calling("{key: 'jq(.secrets.KEY)', scope: file}", ', secrets: [KEY], input: {}'),
      {
        'hush/x': noop('x'),
      },
    );
    const namespace = await namespaces.need(world.reliable, world.namespace);
    await secrets.set(world.reliable, namespace, 'KEY', Buffer.from('/hush'));
    const { main, lines } = await run();
    expect(main.data).toMatchObject({ code: 'service.var.invalidKey' });
    expect([lines.join('\n'), JSON.stringify(main.data)].join()).not.toContain('hush');
  });
});

describe('a running container', () => {
  test('reads files of the tree, from its root', async () => {
    const read: (string | undefined)[] = [];
    const { run } = await open(calling(''), {}, async ({ call: { host } }) => {
      for (const key of ['in/beside', '../top', '/in/deep/down', 'none']) {
        const bytes = await host.variable('file', key);
        read.push(bytes && Buffer.from(bytes).toString());
      }
      await expect(host.variable('file', 'in/deep')).rejects.toThrow(
        "'in/deep' is a directory of the tree, and not a file",
      );
      return body('done');
    });
    expect((await run()).main.data).toMatchObject({ return: 'done' });
    expect(read).toEqual([TREE.top.replaceAll('top', 'beside'), TREE.top, TREE['in/deep/down'], undefined]);
  });
});
