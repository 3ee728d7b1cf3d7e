import { beforeAll, expect, test } from 'vitest';
import { createJqEngine } from '../../../../lib/language/jq/engine.ts';
import type { Engine } from '../../../../lib/language/scripts/engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await createJqEngine({ memoryMiB: 256, resultBytes: 1_000_000 });
});

const run = (source: string, data: unknown) => engine.run(source, JSON.stringify(data), 1000);

test.each([
  ['"v12" | capture("v(?P<n>[0-9]+)")', null, '{"n":"12"}'],
  ['[match("\\\\pL+"; "g").string]', 'aé 1 b', '["aé","b"]'],
  ['. as $p | "x12" | sub($p; "<\\(.n)>")', '(?P<n>\\d+)', '"x<12>"'],
  ['test("a(?=b)")', 'ab', 'true'],
  ['"Thu, 05 Mar 2015 23:51:47 GMT" | strptime("%a, %d %b %Y %H:%M:%S %Z") | mktime', null, '1425599507'],
  ['"2020-10-15T17:30:00-0400" | strptime("%Y-%m-%dT%H:%M:%S%z") | mktime', null, '1602797400'],
  ['1425599621 | strftime("%Z %s %j %z %k %l %P %f")', null, '"UTC 1425599621 064 +0000 23 11 pm 000000"'],
  ['[.[] | test("é")] | map(select(.)) | length', ['é', 'a', 'bé'], '2'],
  ['def test(f): "mine"; test("a")', null, '"mine"'],
  ['[(try input catch "none"), test("a")]', 'a', '["none",true]'],
] as const)('%s on %j gives what gojq gives', (source, data, text) => {
  expect(run(source, data)).toEqual({ text });
});

test.each([
  ['.[0] | foo', 'function not defined: foo/0'],
  ['.[0] | ] ', 'unexpected token "]"'],
  ['"a" | strptime("%Y")', 'date "a" does not match format "%Y"'],
  ['"a" | test("(")', 'Regex failure'],
  ['1e13 | todate', 'the number is no date of the years -271821 to 275760'],
  ['[1e9, 0, 1, 0, 0, 0, 0, 0] | mktime', 'the array is no date of the years -271821 to 275760'],
])('the error of %s names what is wrong in the words of the user', (source, detail) => {
  expect(run(source, [1])).toEqual({ error: expect.stringContaining(detail) });
});

test('several scripts run together, each with its definitions', () => {
  expect(engine.runTogether?.(['.a[0]', '{b: 1, a: 2} | tojson', '.a | test("\\\\w")'], '{"a":"é"}')).toBeUndefined();
  expect(engine.runTogether?.(['.a[0]', '{b: 1, a: 2} | tojson'], '{"a":"xy"}')).toEqual([
    '"x"',
    '"{\\"a\\":2,\\"b\\":1}"',
  ]);
});
