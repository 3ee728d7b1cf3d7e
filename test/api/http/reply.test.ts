import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/http/system.ts';
import { fixedJson } from '../../../lib/api/http/reply.ts';

test('a fixed reply is made once, when it is first needed', async () => {
  let made = 0;
  const reply = fixedJson(
    async () => {
      made += 1;
      return { a: 1 };
    },
    { 'X-A': 'b' },
  );
  expect(made).toBe(0);
  const [first, second] = await Promise.all([reply({}), reply({})]);
  expect(first).toBe(second);
  expect(made).toBe(1);
  expect(first).toMatchObject({ status: 200, headers: { 'Content-Type': 'application/json', 'X-A': 'b' } });
  expect(String(first.body)).toBe('{"a":1}');
});

test.each(['getDescription', 'getWorkflowSchema'] as const)('%s, which needs no key, is made once', async (id) => {
  const endpoint = endpoints[id] as (ports: object, call: object) => unknown;
  const ask = () => endpoint({}, { headers: {} });
  expect(await ask()).toBe(await ask());
});

test('a fixed reply is not sent again to a client that has it', async () => {
  const reply = fixedJson(async () => 1, { 'X-A': 'b' });
  const { ETag: tag = '' } = (await reply({})).headers;
  expect(tag).toMatch(/^"[\w-]+"$/);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*'])
    expect(await reply({ 'if-none-match': known })).toMatchObject({
      status: 304,
      body: '',
      headers: { ETag: tag, 'X-A': 'b' },
    });
  expect((await reply({ 'if-none-match': '"other"' })).status).toBe(200);
});
