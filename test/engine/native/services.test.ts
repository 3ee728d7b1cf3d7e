import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as changes from '../../../lib/domain/services/changes.ts';
import { GLOBAL } from '../../../lib/domain/services/services.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { linesOf, withoutIds } from '../containers/service-space.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { ProgrammedContainers } from '../world/programmed-containers.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const REQUEST = 'direktiv/request:v4';

const workflowOf = (fields: string, action = '', before = ''): string => `functions: [{id: f, ${fields}}]
states:
${before}- {id: go, type: action, action: {function: f${action}}}
`;

const settingsOf = (image: string, cmd = '') => ({ image, cmd, size: 0, minScale: 0, envs: {} });

/** A space with a service of the namespace, and the workflow `main`. Without `hasEngine`, it cannot run containers. */
class Space {
  readonly web = new ProgrammedWeb(() => json({ ok: true }));
  readonly containers = new ProgrammedContainers();
  readonly world: World;

  constructor(hasEngine = false) {
    if (!hasEngine) this.containers.script.problem = 'there is no engine here';
    this.world = new World(database, { web: this.web, containers: this.containers });
    worlds.push(this.world);
  }

  async open(main: string, image?: string, cmd = ''): Promise<this> {
    await this.world.store({ main });
    if (image !== undefined)
      await changes.create(this.world.reliable, await this.scope(), 'api', settingsOf(image, cmd));
    return this;
  }

  async scope() {
    const namespace = await namespaces.need(this.world.reliable, this.world.namespace);
    return { kind: 'namespace', namespace } as const;
  }

  async addRevision(image: string, trafficPercent: number): Promise<void> {
    const input = { ...settingsOf(image), trafficPercent };
    await changes.addRevision(this.world.reliable, await this.scope(), 'api', input);
  }

  async run(input: object = { url: 'https://api.test/a' }) {
    const { id } = await this.world.execute('main', JSON.stringify(input));
    await this.world.pass();
    expect(unfinishedOf(this.world)).toEqual([]);
    const main = (await runsOf(this.world)).find((one) => one.id === id);
    if (main === undefined) throw new Error('there is no such run');
    const log = (await linesOf(this.world, main)).map(({ text }) => withoutIds(text));
    return { main, log, result: main.data['return'] };
  }
}

const NAMED = 'type: knative-namespace, service: api';

describe('the service of a namespace with a native image', () => {
  test('is served as a function with that image is, where nothing runs containers', async () => {
    const inline = await new Space().open(workflowOf(`type: knative-workflow, image: '${REQUEST}'`));
    const named = await new Space().open(workflowOf(NAMED), REQUEST);
    const [expected, run] = [await inline.run(), await named.run()];
    expect(run.main.status).toBe('complete');
    expect(run.result).toMatchObject({ 'status-code': 200, body: { ok: true } });
    expect([run.result, run.log]).toEqual([expected.result, expected.log]);
    expect(named.web.requests.map(({ url }) => url.href)).toEqual(['https://api.test/a']);
    expect(named.containers.prepared.size).toBe(0);
  });

  test('is called after what came before is committed', async () => {
    const space = await new Space().open(
      workflowOf(NAMED, '', '- {id: before, type: noop, transition: go}\n'),
      'direktiv/echo:dev',
    );
    const { result, log } = await space.run({ n: 1 });
    expect(result).toEqual({ n: 1 });
    expect(log).toContain("Calling function 'f' (ID).");
  });

  test('is served for each element of a list, and for a call that nothing waits for', async () => {
    const states = `functions: [{id: f, ${NAMED}}]
states:
- {id: all, type: foreach, array: 'jq([range(20) | {url: "https://api.test/\\(.)"}])', action: {function: f}, transition: one}
- {id: one, type: action, async: true, action: {function: f, input: {url: 'https://api.test/async'}}}
`;
    const space = await new Space().open(states, REQUEST);
    const { main } = await space.run();
    expect(main.status).toBe('complete');
    expect(space.web.requests).toHaveLength(21);
    expect(space.web.requests.at(-1)?.url.pathname).toBe('/async');
  });

  test('of the installation is served too', async () => {
    const space = await new Space().open(workflowOf(`type: knative-global, service: native-echo`));
    await changes.create(space.world.reliable, GLOBAL, 'native-echo', settingsOf('direktiv/echo:dev'));
    expect((await space.run({ n: 2 })).result).toEqual({ n: 2 });
    await changes.remove(space.world.reliable, GLOBAL, 'native-echo');
  });

  test('is served by what it is at the time of the call', async () => {
    const space = await new Space(true).open(workflowOf(NAMED), 'direktiv/echo:dev');
    expect((await space.run({ n: 1 })).result).toEqual({ n: 1 });
    expect(space.containers.received).toEqual([]);
    await space.addRevision(REQUEST, 100);
    expect((await space.run()).result).toMatchObject({ 'status-code': 200 });
    expect(space.containers.received).toEqual([]);
    await space.addRevision('example/a', 100);
    await space.run({ n: 3 });
    expect(space.containers.received.map(({ image, input }) => [image, input])).toEqual([['example/a', { n: 3 }]]);
  });

  test('is served natively while its traffic is divided between two versions of one image', async () => {
    const space = await new Space().open(workflowOf(NAMED), REQUEST);
    await space.addRevision('direktiv/request:v5', 50);
    expect((await space.run()).result).toMatchObject({ 'status-code': 200 });
  });
});

describe('a container serves a call of it', () => {
  const callsOf = async (space: Space): Promise<number> => {
    await space.run();
    expect(space.web.requests).toEqual([]);
    return space.containers.received.length;
  };

  test.each([
    ['with another program in cmd', workflowOf(NAMED), '/usr/bin/other'],
    ['with files', workflowOf(NAMED, ', files: [{key: x, scope: workflow}]'), ''],
  ])('%s', async (_what, main, cmd) => {
    expect(await callsOf(await new Space(true).open(main, REQUEST, cmd))).toBe(1);
  });

  test('when the namespace excludes native images', async () => {
    const space = await new Space(true).open(workflowOf(NAMED), REQUEST);
    const { reliable, namespace } = space.world;
    await configure(reliable, namespace, { functions: { native: false } });
    expect(await callsOf(space)).toBe(1);
  });

  test('when its traffic is divided between images with different contracts', async () => {
    const space = await new Space(true).open(workflowOf(NAMED), REQUEST);
    await space.addRevision('example/a', 50);
    expect(await callsOf(space)).toBe(1);
  });
});
