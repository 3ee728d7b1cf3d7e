import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/large');
});

afterAll(() => client.close());

const send = (op: string, name: string, body: string) =>
  client.call(op === 'create-workflow' ? 'PUT' : 'POST', `/api/namespaces/large/tree/${name}?op=${op}`, { body });

const scripted = (script: string): string => `states:\n- {id: a, type: noop, transform: '${script}'}\n`;
const states = (count: number): string =>
  `states:\n${Array.from({ length: count }, (_, at) => `- {id: s${at}, type: delay, duration: P2D, transition: ${at + 1 < count ? `s${at + 1}` : "''"}}\n`).join('')}`;

describe('a workflow whose text is large', () => {
  test('is stored, warned about, priced and run like a small one', async () => {
    const stored = await send('create-workflow', 'long', states(200));
    expect(stored.status).toBe(200);
    expect(stored.json()).toMatchObject({
      warnings: expect.arrayContaining([expect.objectContaining({ rule: 'wait-outlives-timeout' })]),
    });
    const prices = await client.call('GET', '/api/namespaces/large/prices?path=long');
    expect(prices.json()).toMatchObject({ workflows: [{ workflow: 'long', runs: [{ op: 'execute' }] }] });
  });

  test('has the same problems as a small one', async () => {
    const wrong = await send('create-workflow', 'wrong', `${states(200)}- {id: last, type: nop}\n`);
    expect(wrong.status).toBe(406);
    expect(wrong.json()).toMatchObject({ message: expect.stringMatching(/^state\[200\]: type unrecognized/) });
  });

  test.each([
    [
      'a sum',
      scripted(`jq(${Array.from({ length: 300_000 }, () => '.a').join('+')})`),
      'the jq script has 899999 characters',
    ],
    ['brackets of JavaScript', scripted(`js(${'('.repeat(50_000)}`), 'the js script is nested 50000 levels deep'],
    [
      'brackets of jq',
      scripted(`jq(${'['.repeat(50_000)}${']'.repeat(50_000)})`),
      'the jq script is nested 50000 levels deep',
    ],
  ])('is refused with a message, not with a fault: %s', async (_, text, message) => {
    const refused = await send('create-workflow', 'hostile', text);
    expect({ status: refused.status, json: refused.json() }).toMatchObject({
      status: 406,
      json: { message: expect.stringContaining(message) },
    });
    const validated = await send('validate', 'hostile', text);
    const found = expect.objectContaining({ severity: 'error', message: expect.stringContaining(message) });
    expect(validated.json()).toMatchObject({ problems: expect.arrayContaining([found]) });
  });

  test('keeps no other request waiting while it is read', async () => {
    const order: string[] = [];
    const done = (name: string) => () => order.push(name);
    const text = Array.from({ length: 9000 }, (_, at) => `- {id: s${at}, type: noop, log: 'jq(.a${at})'}\n`).join('');
    await Promise.all([
      send('validate', 'slow', `states:\n${text}`).then(done('validate')),
      client.call('GET', '/api/namespaces').then(done('list')),
    ]);
    expect(order).toEqual(['list', 'validate']);
  });
});
