import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, openClient } from '../access/client.ts';

/** DynamoDB stores no item above 400 KB, and neither do the tables of one machine: each of these would be a fault. */
const LARGE = 'x'.repeat(500_000);
const HOME = '/api/namespaces/item-sizes';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', HOME);
});
afterAll(() => client.close());

const store = (name: string, body: string): Promise<Answer> =>
  client.call('PUT', `${HOME}/tree/${name}?op=create-workflow`, { body });
const run = (name: string): Promise<Answer> => client.call('POST', `${HOME}/tree/${name}?op=wait`, { body: '{}' });

let names = 0;
async function runOf(source: string): Promise<Answer> {
  names += 1;
  const made = await store(`w${names}`, source);
  expect(made.status, made.text.slice(0, 500)).toBe(200);
  return run(`w${names}`);
}

describe('a run with a large part', () => {
  const MANY = Array.from({ length: 900 }, (_, n) => `s${n}-${'x'.repeat(240)}y`);
  const chain = MANY.map((id, n) => `- {id: ${id}, type: noop${n < 899 ? `, transition: ${MANY[n + 1]}` : ''}}\n`);

  test.each([
    ['states with long ids', `states:\n${chain.join('')}`, 200, '{}'],
    ['an error message', `states: [{id: a, type: error, error: my.code, message: '${LARGE}'}]`, 500, 'my.code: xxx'],
    ['an error code', `states: [{id: a, type: error, error: '${LARGE}', message: hi}]`, 500, 'xxx'],
    [
      'an error that it waits with',
      `states:\n- {id: a, type: error, error: my.code, message: '${LARGE}', transition: b}\n- {id: b, type: delay, duration: PT1S}\n`,
      500,
      'my.code: xxx',
    ],
  ])('ends by itself: %s', async (_title, source, status, text) => {
    const answer = await runOf(source);
    expect([answer.status, answer.text.slice(0, 2000)]).toEqual([status, expect.stringContaining(text)]);
    expect(answer.text).not.toContain('internal error');
  });

  const filters = Array.from({ length: 40 }, (_, n) => `{type: t${n}, context: {n: '*${LARGE.slice(0, 4000)}'}}`);
  test.each([
    [
      'filters of a state',
      `states: [{id: a, type: eventsAnd, timeout: PT5S, events: [${filters.join(', ')}]}]`,
      'the events that a state waits for have at most 128 KiB together',
    ],
    [
      'a filter with an exact value',
      `states: [{id: a, type: consumeEvent, timeout: PT5S, event: {type: t, context: {n: '${LARGE}'}}}]`,
      'the events that a state waits for have at most 128 KiB together',
    ],
    [
      'the event that cancels it',
      `cancelOn: {type: t, context: {a: '${LARGE}'}}\nstates: [{id: a, type: noop}]`,
      'the context of cancelOn has more than 128 KiB',
    ],
    [
      'the media type of a variable',
      `states: [{id: a, type: setter, variables: [{key: k, scope: namespace, mimeType: '${LARGE}', value: 1}]}]`,
      'the media type of a variable has at most 1000 characters, and this one 500000',
    ],
  ])('that is not accepted fails with the limit: %s', async (_title, source, text) => {
    const answer = await runOf(source);
    expect([answer.status, answer.text.slice(0, 2000)]).toEqual([500, expect.stringContaining(text)]);
  });
});

describe('a request with a large part is refused with the limit', () => {
  const starting = (events: string): string => `start: ${events}\nstates: [{id: a, type: noop}]\n`;
  test.each([
    [
      'a start event',
      starting(`{type: event, event: {type: t, context: {n: '*${LARGE}'}}}`),
      'at most 128 KiB together',
    ],
    ['the id of a state', `states: [{id: ${LARGE}, type: noop}]`, 'an id has at most 256 characters'],
  ])('%s', async (_title, source, text) => {
    const answer = await store('refused', source);
    expect([answer.status, answer.text.slice(0, 2000)]).toEqual([406, expect.stringContaining(text)]);
  });

  test('the logger of a workflow', async () => {
    await store('logged', 'states: [{id: a, type: noop}]');
    const body = JSON.stringify({ logger: LARGE });
    const answer = await client.call('POST', `${HOME}/tree/logged?op=set-workflow-event-logging`, { body });
    expect([answer.status, answer.text]).toEqual([406, expect.stringContaining('at most 1000 characters')]);
  });

  test('the media type of a variable', async () => {
    const headers = { 'content-type': `text/${LARGE.slice(0, 2000)}` };
    const answer = await client.call('PUT', `${HOME}/vars/m`, { body: 'x', headers });
    expect([answer.status, answer.text]).toEqual([406, expect.stringContaining('at most 1000 characters')]);
  });
});
