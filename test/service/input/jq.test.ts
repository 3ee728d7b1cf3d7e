import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const ask = (query: string, data: string) => client.call('POST', '/api/jq', { json: { query, data } });

describe('the jq playground', () => {
  test.each([
    ['.a', '{"a":1}', '1'],
    ['', '{"b":1,"a":[]}', '{\n  "a": [],\n  "b": 1\n}'],
    ['.', '"x"', '"x"'],
    ['.a.b // "none"', '{"a":{}}', '"none"'],
    ['[.[] | . * 2]', '[1,2]', '[\n  2,\n  4\n]'],
    ['{(.k): 1}', '{"k":"__proto__"}', '{\n  "__proto__": 1\n}'],
    ['.s', '{"s":"<&>\\u2028"}', '"\\u003c\\u0026\\u003e\\u2028"'],
    ['length', '"\\ud83d\\ude00"', '1'],
    ['$ENV | length', '{}', '0'],
    ['false', 'null', 'false'],
  ])('returns %s for %s', async (query, data, result) => {
    const answer = await ask(query, base64(data));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toEqual({ query, data: base64(data), results: [result] });
  });

  test('accepts base64 with line breaks and any case of the field names', async () => {
    const body = JSON.stringify({ Query: '.a', DATA: 'eyJhIjox\r\nfQ==' });
    expect((await client.call('POST', '/api/jq', { body })).json()['results']).toEqual(['1']);
  });

  test.each([
    ['.a[', '{}', /^error executing JQ command: failed to evaluate jq\/js: .*\.a\[/],
    ['.[]', '[1,2]', 'error executing JQ command: failed to evaluate jq/js: jq query produced multiple outputs'],
    ['empty', '{}', /^error executing JQ command: .*error in jq query empty: no results/],
    ['.a', '{}', /^error executing JQ command: .*error in jq query \.a: no results/],
    ['error("boom")', '{}', /boom/],
    ['jq(.a)', '{"a":1}', /jq\/1 is not defined|function not defined: jq\/1/],
    ['.a + 1', '{"a":"x"}', /cannot be added/],
    ['input', '{}', /^error executing JQ command: /],
    [')', '{}', 'jq query ) closes a bracket that is not open'],
    ['.a) and jq(.b', '{}', 'jq query .a) and jq(.b closes a bracket that is not open'],
    ['(.a', '{}', /no closing bracket in jq query/],
    ['.', '{nope', /^invalid json data: /],
    ['.', '', /^invalid json data: /],
    ['.', `${'['.repeat(100_001)}${']'.repeat(100_001)}`, /^invalid json data: .*nested deeper than 1000 levels$/],
  ])('rejects the program %s with 400', async (query, data, message) => {
    const answer = await ask(query, base64(data));
    expect(answer.status).toBe(400);
    const text = String(answer.json()['message']);
    expect(text).toMatch(message);
    expect(answer.json()).toEqual({ code: 400, message: text, Error: text, StatusCode: 400 });
  });

  test.each([
    ['', 'EOF'],
    ['{nope', /^invalid character 'n' looking for beginning of object key string/],
    ['{"foo":1}', 'json: unknown field "foo"'],
    [
      '{"query":".","data":{"a":1}}',
      'json: cannot unmarshal object into Go struct field JQRequest.data of type []uint8',
    ],
    ['{"query":1,"data":""}', 'json: cannot unmarshal number into Go struct field JQRequest.query of type string'],
    ['{"query":".","data":"!!"}', 'illegal base64 data at input byte 0: field data is base64 of JSON'],
    ['{"query":".","data":"e30"}', /^illegal base64 data at input byte 2/],
    ['{"query":"."}', 'invalid json data: unexpected end of JSON input'],
    ['{"__proto__":{"query":"."}}', 'json: unknown field "__proto__"'],
    ['[]', 'json: cannot unmarshal array into the body of type object'],
    ['5', 'json: cannot unmarshal number into the body of type object'],
  ])('rejects the body %s with 400', async (body, message) => {
    const answer = await client.call('POST', '/api/jq', { body });
    expect(answer.status).toBe(400);
    expect(answer.json()['message']).toMatch(message);
  });

  test('evaluates many concurrent programs, each on its own data', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask('[.n] | map(. + 1) | .[0]', base64(`{"n":${n}}`))),
    );
    expect(answers.map((answer) => answer.json()['results'])).toEqual(
      Array.from({ length: 20 }, (_, n) => [`${n + 1}`]),
    );
  });
});
