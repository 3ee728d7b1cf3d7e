import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { openDatabase } from '../world/engine-world.ts';
import { body, failed } from '../world/programmed-containers.ts';
import { closeWorlds, run, workflowOf } from './service-space.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterEach(closeWorlds);
afterAll(() => database.close());

const withFiles = (files: string) => `- {id: a, type: action, action: {function: f, files: ${files}}}`;

describe('the files of an action (workflow-language reference, 2.1)', () => {
  test('have the permissions that a query gives', async () => {
    const files = '[{key: run, permissions: jq(.mode)}, {key: open}]';
    const { containers } = await run(database, workflowOf(withFiles(files)), {
      input: { mode: '0750' },
      act: () => body({}),
    });
    expect(containers.received[0]?.call.files.map(({ name, mode }) => [name, mode])).toEqual([
      ['run', 0o750],
      ['open', undefined],
    ]);
  });

  test.each(['rwx', '0988', '77777'])('fail with var.perms for the permissions %j', async (permissions) => {
    const caught = `${withFiles(`[{key: run, permissions: '${permissions}'}]`).slice(0, -1)}, catch: [{error: service.var.perms}]}`;
    const { main } = await run(database, workflowOf(caught));
    expect(main).toMatchObject({ status: 'complete', data: { error: { code: 'service.var.perms' } } });
  });
});

describe('generateEvent (workflow-language reference, 5.5 and 10.14)', () => {
  const emit = (event: string) =>
    `- {id: a, type: generateEvent, event: {type: t, source: s, ${event}}, catch: [{error: '.*'}]}`;

  test('ends the run with event.jq, which is not caught, when a query of its context fails', async () => {
    const { main } = await run(database, workflowOf(emit('context: {shop: jq(.missing)}')));
    expect(main).toMatchObject({
      status: 'failed',
      code: 'service.event.jq',
      message: expect.stringContaining("failed to process event context key 'shop'"),
    });
  });
});

describe('the data of generateEvent (workflow-language reference, 10.14)', () => {
  test.each<[what: string, type: string | undefined, data: string, payload: Record<string, unknown>]>([
    ['JSON by default', undefined, '{n: 1}', { datacontenttype: 'application/json', data: { n: 1 } }],
    [
      'the whole data where it is absent',
      undefined,
      'null',
      { datacontenttype: 'application/json', data: { given: 1 } },
    ],
    [
      'text of a type of its own as it is',
      'text/plain',
      'hello there',
      { datacontenttype: 'text/plain', data: 'hello there' },
    ],
    ['base64 as bytes', 'image/png', 'iVBORw==', { datacontenttype: 'image/png', data_base64: 'iVBORw==' }],
    [
      'base64 with line breaks as bytes',
      'image/png',
      '"iVBO\\nRw=="',
      { datacontenttype: 'image/png', data_base64: 'iVBORw==' },
    ],
    ['JSON for a value that is no text', 'text/plain', '[1]', { datacontenttype: 'application/json', data: [1] }],
  ])('is %s', async (_what, type, data, payload) => {
    const fields = type === undefined ? '' : `, datacontenttype: ${type}`;
    const states = `- {id: a, type: generateEvent, event: {type: sent, source: s, data: ${data}${fields}}}`;
    const { world } = await run(database, workflowOf(states), { input: { given: 1 } });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const found = await events.dueSince(world.reliable, { home: namespace, type: 'sent', from: 0 }, () => true);
    const { id, ...event } = found[0]?.event ?? { id: '' };
    expect(event).toEqual({ specversion: '1.0', type: 'sent', source: 's', ...payload });
    expect(id).not.toBe('');
  });
});

describe('foreach (workflow-language reference, 1.7 and 7.5)', () => {
  const loop = (action: string) => `- {id: a, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {${action}}}`;

  test.each([
    ['no codes', 'retries: {max_attempts: 2}', 'no.luck'],
    ['no attempts', "retries: {max_attempts: 0, codes: ['.*']}", 'service.retries.exceeded'],
    ['no retries at all', 'retries: {}', 'no.luck'],
  ])('is stored with retries that allow %s, and its calls fail', async (_what, retries, code) => {
    const { main } = await run(database, workflowOf(loop(`function: f, ${retries}`)), {
      act: () => failed('no.luck', 'no'),
    });
    expect(main).toMatchObject({ status: 'failed', code });
  });

  test('is stored with an empty function, and crashes when it calls it', async () => {
    const { main } = await run(database, workflowOf(loop("function: ''")));
    expect(main).toMatchObject({ status: 'crashed', code: 'service.internal.error' });
  });

  test('passes the index of the element to the container', async () => {
    const { containers } = await run(database, workflowOf(loop('function: f')), { act: ({ input }) => body(input) });
    expect(containers.received.map(({ call }) => call.iterator).toSorted()).toEqual([0, 1]);
  });
});
