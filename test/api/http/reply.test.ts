import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/http/system.ts';
import { fixedJson } from '../../../lib/api/http/reply.ts';

test('a fixed reply is made once, when it is first needed', () => {
  let made = 0;
  const reply = fixedJson(
    () => {
      made += 1;
      return { a: 1 };
    },
    { 'X-A': 'b' },
  );
  expect(made).toBe(0);
  expect(reply({})).toBe(reply({}));
  expect(made).toBe(1);
  expect(reply({})).toMatchObject({ status: 200, headers: { 'Content-Type': 'application/json', 'X-A': 'b' } });
  expect(String(reply({}).body)).toBe('{"a":1}');
});

test.each(['getDescription', 'getWorkflowSchema'] as const)('%s, which needs no key, is made once', async (id) => {
  const endpoint = endpoints[id] as (ports: object, call: object) => unknown;
  const ask = () => endpoint({}, { headers: {} });
  expect(await ask()).toBe(await ask());
});

test('a fixed reply is not sent again to a client that has it', () => {
  const reply = fixedJson(() => 1, { 'X-A': 'b' });
  const { ETag: tag = '' } = reply({}).headers;
  expect(tag).toMatch(/^"[\w-]+"$/);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*'])
    expect(reply({ 'if-none-match': known })).toMatchObject({
      status: 304,
      body: '',
      headers: { ETag: tag, 'X-A': 'b' },
    });
  expect(reply({ 'if-none-match': '"other"' }).status).toBe(200);
});
