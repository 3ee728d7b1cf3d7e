import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as runs from '../../lib/domain/runs/runs.ts';
import { type Outcome, openByLink } from '../../lib/engine/approvals/decisions.ts';
import { linksOf, readLink } from '../../lib/engine/approvals/links.ts';
import { decide } from '../../lib/engine/requests/deciding.ts';
import { CrashedError } from './world/crashing-ports.ts';
import { openDatabase, World } from './world/engine-world.ts';
import { runsOf, unfinishedOf } from './world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const HOUR = 3_600_000;
const TELL = 'states: [{id: a, type: noop}]\n';

const workflowOf = (fields: string): string => `timeouts: {interrupt: P30D, kill: P40D}
functions: [{id: tell, type: subflow, workflow: tell}]
states:
- id: ask
  type: approval
  subject: Pay
  choices: {yes: paid, no: refused}
${fields}
- {id: paid, type: noop, transform: 'jq({by: .return.by})'}
- {id: refused, type: noop, transform: {refused: true}}
- {id: late, type: noop, transform: 'jq({late: .error.code})'}
`;

interface Begun {
  readonly world: World;
  readonly id: string;
  readonly pass: (hours: number) => Promise<void>;
  readonly decide: (choice: string) => Promise<Outcome | undefined>;
  readonly main: () => Promise<runs.Run>;
  /** How many children have begun. */
  readonly told: () => Promise<number>;
}

async function begin(fields: string, world = new World(database)): Promise<Begun> {
  worlds.push(world);
  await world.store({ tell: TELL, main: workflowOf(fields) });
  const { id, created } = await world.execute('main', '{}');
  const main = async (): Promise<runs.Run> => {
    const run = await runs.find(world.reliable, id);
    if (run === undefined) throw new Error('there is no such run');
    return run;
  };
  return {
    world,
    id,
    main,
    pass: (hours) => world.pass(created + hours * HOUR),
    decide: (choice) => decideBy(world, id, choice),
    told: async () => (await runsOf(world)).filter(({ path }) => path === '/tell').length,
  };
}

/** Decides by the link of a choice, as it was sent. */
async function decideBy(world: World, id: string, choice: string): Promise<Outcome | undefined> {
  const run = await runs.find(world.reliable, id);
  const key = run?.wait?.approval?.key ?? '';
  const path = linksOf(world.ports, { run: id, key }, [{ name: choice }])[choice] ?? '';
  const link = readLink(path.replace(/^.*\/api\/hooks\//, ''));
  const asked = link === undefined ? undefined : await openByLink(world.ports, link);
  return asked && decide(world.ports, asked, { by: 'Ada', form: {}, from: '192.0.2.7' });
}

describe('an approval', () => {
  test('notifies once, reminds and escalates at their times, and does neither after the decision', async () => {
    const event = 'event: {type: open, source: s, data: jq(.)}';
    const one = await begin(`  notify: {function: tell}
  remind: {after: PT4H}
  escalate: {after: P1D, ${event}}
  timeout: P2D`);
    await one.pass(3.9);
    expect(await one.told()).toBe(1);
    await one.pass(4.1);
    expect(await one.told()).toBe(2);
    expect((await one.main()).wait?.approval?.reminded).toBe(1);
    expect(one.world.bus.size).toBe(0);
    await one.pass(24.1);
    expect([await one.told(), one.world.bus.size]).toEqual([2, 1]);
    expect(await one.decide('yes')).toEqual({ kind: 'decided' });
    await one.pass(1000);
    expect(await one.main()).toMatchObject({ status: 'complete', data: { by: 'Ada' } });
    expect(unfinishedOf(one.world)).toEqual([]);
  });

  test('that is decided early makes no reminder', async () => {
    const {
      pass,
      decide: choose,
      told,
      main,
      world,
    } = await begin('  notify: {function: tell}\n  remind: {after: PT4H}\n  timeout: P2D');
    await pass(1);
    await choose('no');
    await pass(1000);
    expect(await told()).toBe(1);
    expect(await main()).toMatchObject({ status: 'complete', data: { refused: true } });
    expect(unfinishedOf(world)).toEqual([]);
  });

  test('fails with a code that can be caught when its time is over', async () => {
    const {
      pass,
      main,
      decide: choose,
    } = await begin("  timeout: PT2H\n  catch: [{error: 'service.approval.timeout', transition: late}]");
    await pass(1.9);
    expect((await main()).status).toBe('pending');
    await pass(3);
    expect(await main()).toMatchObject({ status: 'complete', data: { late: 'service.approval.timeout' } });
    expect(await choose('yes')).toBeUndefined();
  });

  test('counts a decision that came before its time was over, also if the run goes on after it', async () => {
    const { world, pass, decide: choose, main } = await begin('  timeout: PT2H');
    await pass(1);
    world.time.advance(HOUR);
    expect(await choose('yes')).toEqual({ kind: 'decided' });
    await pass(5);
    expect(await main()).toMatchObject({ status: 'complete', data: { by: 'Ada' } });
  });

  test('is decided once', async () => {
    const { pass, decide: choose } = await begin('  timeout: P1D');
    await pass(1);
    const outcomes = await Promise.all([choose('yes'), choose('no'), choose('no')]);
    const kinds = outcomes.map((one) => one?.kind);
    expect(kinds.filter((kind) => kind === 'decided').length).toBeGreaterThanOrEqual(1);
    expect(new Set([kinds[0], kinds[1]]).size).toBe(2);
  });

  const CALLER = `timeouts: {interrupt: P30D, kill: P40D}
functions: [{id: ask, type: subflow, workflow: ask}]
states: [{id: call, type: action, action: {function: ask}, timeout: P20D}]
`;

  test.each([1, 2, 3, 4])(
    'of a subflow is not lost when the process ends after %d writes of its decision',
    async (at) => {
      const world = new World(database);
      worlds.push(world);
      await world.store({ tell: TELL, ask: workflowOf('  timeout: P1D'), main: CALLER });
      const { id, created } = await world.execute('main', '{}');
      await world.pass(created + HOUR);
      const asked = (await runsOf(world)).find(({ path }) => path === '/ask');
      world.process.crashAt({ at, when: 'after' });
      const end = await decideBy(world, asked?.id ?? '', 'yes').catch((error: unknown) => error);
      expect(end).toBeInstanceOf(CrashedError);
      await world.restart();
      await world.pass(created + 2 * HOUR);
      expect(await runs.find(world.reliable, id)).toMatchObject({
        status: 'complete',
        data: { return: { by: 'Ada' } },
      });
    },
  );
});
