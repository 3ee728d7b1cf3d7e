import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { callHeaders } from '../../../lib/containers/session/protocol.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { openDatabase } from '../world/engine-world.ts';
import { body, bytes, failed, ProgrammedContainers } from '../world/programmed-containers.ts';
import { closeWorlds, observe, openWorld, run, withoutIds, workflowOf } from './service-space.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const CALL = '- {id: a, type: action, action: {function: f}}';

describe('an action on a container', () => {
  test('returns what the container answers', async () => {
    const observed = await run(database, workflowOf(CALL), {
      input: { n: 1 },
      act: ({ input }) => body({ got: input }),
    });
    expect(observed.main).toMatchObject({ status: 'complete', data: { n: 1, return: { got: { n: 1 } } } });
    expect(observed.containers.received).toHaveLength(1);
    expect(observed.log.map(withoutIds)).toEqual([
      'Preparing workflow triggered by api.',
      'Running state logic (step:1) -- a',
      "Sleeping until function 'f' returns (ID).",
      "Child 'ID' returned.",
      'Workflow completed.',
    ]);
  });

  test('passes instance, step, input and deadline to the container', async () => {
    const states =
      '- {id: before, type: noop, transition: a}\n- {id: a, type: action, timeout: PT40S, action: {function: f, input: {x: jq(.n)}}}';
    const { main, containers, log, world } = await run(database, workflowOf(states), { input: { n: 2 } });
    const [received] = containers.received;
    expect(received).toMatchObject({ image: 'example/f', input: { x: 2 } });
    expect(received?.call).toMatchObject({ instanceId: main.id, namespace: world.namespace, step: 2, files: [] });
    expect(received?.call.iterator).toBeUndefined();
    const [trace, span] = [main.id, received?.call.actionId ?? ''].map((id) => id.replaceAll('-', ''));
    const { traceparent = '' } = received === undefined ? {} : callHeaders(received.call);
    expect(traceparent).toBe(`00-${trace}-${span?.slice(16)}-01`);
    expect(log).toContain(`Sleeping until function 'f' returns (${received?.call.actionId}).`);
    expect((received?.call.deadline ?? 0) - main.created).toBe(40_000);
  });

  test('is counted as a call, and is not an instance', async () => {
    const { shown, main, world } = await run(database, workflowOf(CALL));
    expect(shown).toEqual([main]);
    expect(world.counted).toEqual({ RunsStarted: 1, ContainerCalls: 1, RunsComplete: 1 });
  });

  test('is counted as a failed call when it fails', async () => {
    const { world } = await run(database, workflowOf(CALL), { act: () => failed('no.luck', 'no') });
    expect(world.counted).toEqual({ RunsStarted: 1, ContainerCalls: 1, ContainerCallsFailed: 1, RunsFailed: 1 });
  });

  test.each([
    ['JSON text', Buffer.from('"word"'), 'word'],
    ['a number', Buffer.from(' 5\n'), 5],
    ['null', Buffer.from('null'), null],
    ['other text, as base64', Buffer.from('plain'), Buffer.from('plain').toString('base64')],
    ['bytes, as base64', Buffer.from([0, 255, 1]), 'AP8B'],
    ['nothing, as empty text', Buffer.alloc(0), ''],
  ])('returns %s', async (_what, answer, value) => {
    const { main } = await run(database, workflowOf(CALL), { act: () => bytes(answer) });
    expect(main).toMatchObject({ status: 'complete', data: { return: value } });
  });

  test('returns an answer that is too large for the table', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const { main } = await run(
      database,
      workflowOf(`${CALL.slice(0, -1)}, transform: 'jq({n: (.return | length)})'}`),
      {
        act: () => body(text),
      },
    );
    expect(main.data).toEqual({ n: text.length });
  });

  test('crashes on an answer that is nested too deep', async () => {
    const deep = Buffer.from('['.repeat(1200) + ']'.repeat(1200));
    const { main, lines } = await run(database, workflowOf(CALL), { act: () => bytes(deep) });
    expect(main).toMatchObject({ status: 'crashed', code: 'service.internal.error' });
    expect(lines.join('\n')).toContain('the result of the container is nested deeper than 1000 levels');
  });

  test('finds a service of the namespace by its name', async () => {
    const main = `functions: [{id: f, type: knative-namespace, service: fast}]\nstates: [{id: a, type: action, action: {function: f}}]`;
    const missing = await run(database, main);
    const message =
      "the function 'f' cannot be called: the namespace 'NS' has no service 'fast'; create it, then run the workflow again";
    expect(missing.main).toMatchObject({
      status: 'failed',
      code: 'service.internal.error',
      message: message.replace('NS', missing.world.namespace),
    });
  });

  test('fails with a message where nothing runs containers', async () => {
    const { main } = await run(database, workflowOf(CALL), { act: () => body(1), problem: 'there is no engine here' });
    expect(main).toMatchObject({
      status: 'failed',
      message: "the function 'f' cannot be called: there is no engine here",
    });
  });
});

describe('an error of a container', () => {
  const caught = `- {id: a, type: action, action: {function: f}, catch: [{error: 'my\\..*', transition: b}]}
- {id: b, type: noop, transform: 'jq({was: .error})'}`;

  test('fails the run with its code and message', async () => {
    const { main, lines } = await run(database, workflowOf(CALL), { act: () => failed('my.code', 'no luck') });
    expect(main).toMatchObject({ status: 'failed', code: 'my.code', message: 'no luck' });
    expect(lines).toContain("error Action raised catchable error 'my.code': no luck.");
  });

  test('is caught by its code', async () => {
    const { main } = await run(database, workflowOf(caught), { act: () => failed('my.code', 'no luck') });
    expect(main).toMatchObject({ status: 'complete', data: { was: { code: 'my.code', msg: 'no luck' } } });
  });

  test('without a code crashes the run, and is neither caught nor retried', async () => {
    const states = `- id: a
  type: action
  action: {function: f, retries: {max_attempts: 3, delay: PT1S, codes: ['.*']}}
  catch: [{error: '*'}]`;
    const { main, lines, containers } = await run(database, workflowOf(states), { act: () => failed('', 'it broke') });
    expect(main).toMatchObject({
      status: 'crashed',
      code: 'service.internal.error',
      message: 'an internal error occurred',
    });
    expect(containers.received).toHaveLength(1);
    expect(lines).toContain('error Action crashed due to an internal error: it broke');
    expect(lines).toContain('error Instance failed with uncatchable error: it broke');
  });

  const retried = `- id: a
  type: action
  action: {function: f, retries: {max_attempts: 2, delay: PT1S, multiplier: 2, codes: ['busy']}}
  catch: [{error: 'retries', transition: b}]
- {id: b, type: noop, transform: 'jq({was: .error.code})'}`;

  test('is retried for a listed code, with the same input', async () => {
    let calls = 0;
    const { main, containers } = await run(database, workflowOf(retried), {
      input: { n: 1 },
      act: () => (++calls < 3 ? failed('so.busy', 'later') : body({ calls })),
    });
    expect(main).toMatchObject({ status: 'complete', data: { return: { calls: 3 } } });
    expect(containers.received.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    expect(new Set(containers.received.map(({ call }) => call.actionId)).size).toBe(3);
    expect(main.updated - main.created).toBe(3000);
  });

  test('ends the retries after the last attempt', async () => {
    const { main, containers } = await run(database, workflowOf(retried), { act: () => failed('busy', 'later') });
    expect(containers.received).toHaveLength(3);
    expect(main).toMatchObject({ status: 'complete', data: { was: 'service.retries.exceeded' } });
  });

  test('is not retried for another code', async () => {
    const { main, containers } = await run(database, workflowOf(retried), { act: () => failed('other', 'no') });
    expect(containers.received).toHaveLength(1);
    expect(main).toMatchObject({ status: 'failed', code: 'other' });
  });
});

describe('a foreach over containers', () => {
  const each = (more = '') => `- {id: a, type: foreach, array: 'jq(.all)', action: {function: f}${more}}`;
  const all = Array.from({ length: 100 }, (_, n) => ({ n }));

  test('calls the container for every element, with its number', async () => {
    const { main, containers, log } = await run(database, workflowOf(each()), {
      input: { all },
      act: ({ input, call }) => body([call.iterator, Number(input['n']) * 2]),
    });
    expect(main).toMatchObject({ status: 'complete', data: { return: all.map(({ n }) => [n, n * 2]) } });
    expect(containers.received).toHaveLength(100);
    expect(log).toContain('[99] Action returned. (100/100)');
  });

  test('over no elements makes no call', async () => {
    const { main, containers } = await run(database, workflowOf(each()), { input: { all: [] } });
    expect(main.status).toBe('complete');
    expect(containers.received).toEqual([]);
  });

  test('cancels the other calls when one fails', async () => {
    const { main, containers, shown } = await run(database, workflowOf(each()), {
      input: { all: all.slice(0, 5) },
      act: ({ input }, hang) => (input['n'] === 3 ? failed('bad.element', 'three') : hang()),
    });
    expect(main).toMatchObject({ status: 'failed', code: 'bad.element' });
    expect(shown).toHaveLength(1);
    expect(containers.cancelled).toHaveLength(4);
  });
});

describe('parallel', () => {
  test('waits for containers and subflows', async () => {
    const states =
      '- {id: a, type: parallel, actions: [{function: f, input: {n: 1}}, {function: kid, input: {n: 2}}, {function: g, input: {n: 3}}]}';
    const { main } = await run(database, workflowOf(states), {
      act: ({ image, input }) => body({ image, ...input }),
      kid: 'states: [{id: a, type: noop}]',
    });
    expect(main.data).toEqual({ return: [{ image: 'example/f', n: 1 }, { n: 2 }, { image: 'example/g', n: 3 }] });
  });

  const or = '- {id: a, type: parallel, mode: or, actions: [{function: f}, {function: g}]}';

  test('of mode or completes with the first answer, and the others run on', async () => {
    const containers = new ProgrammedContainers(({ image }, hang) => (image === 'example/f' ? body('fast') : hang()));
    const world = openWorld(database, containers);
    await world.store({ main: workflowOf(or) });
    const { id } = await world.execute('main', '{}');
    const passing = world.pass();
    await until(async () => containers.received.length === 2);
    await until(async () => (await runs.find(world.reliable, id))?.status === 'complete');
    const other = containers.received.find(({ image }) => image === 'example/g');
    containers.answer(other?.call.actionId ?? '', body('slow'));
    await passing;
    const { main } = await observe(world, containers, id);
    expect(main).toMatchObject({ status: 'complete', data: { return: ['fast', null] } });
    expect(containers.received).toHaveLength(2);
    expect(containers.cancelled).toEqual([]);
  });

  test('of mode or fails when all have failed', async () => {
    const { main } = await run(database, workflowOf(or), { act: () => failed('', 'broken') });
    expect(main).toMatchObject({ status: 'failed', code: 'service.parallel.allFailed' });
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
