import { afterAll, describe, expect, test } from 'vitest';
import { type Evaluator, evaluateQuery, hasScripts, QueryError } from '../../../lib/language/sandbox/queries.ts';
import { createSandbox } from '../../../lib/language/sandbox/sandbox.ts';

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const evaluate = (query: unknown, data: unknown = {}) => evaluateQuery(query, data, sandbox);

async function problemOf(query: unknown, data: unknown = {}): Promise<string> {
  const error: unknown = await evaluate(query, data).then(
    (value) => expect.unreachable(`it gives ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(QueryError);
  return (error as QueryError).message;
}

describe('a structured query', () => {
  test('that is absent or null yields the whole data, but a null inside stays null', async () => {
    const data = { a: 1 };
    expect(await evaluate(undefined, data)).toBe(data);
    expect(await evaluate(null, data)).toBe(data);
    expect(await evaluate({ x: null, y: [null] }, data)).toEqual({ x: null, y: [null] });
  });

  test('keeps numbers, booleans and keys, and evaluates the texts in lists and maps', async () => {
    const query = { 'jq(.a)': 1, b: [true, 2.5, ['jq(.a)', { deep: 'jq(.a | tostring)' }]] };
    expect(await evaluate(query, { a: 7 })).toEqual({ 'jq(.a)': 1, b: [true, 2.5, [7, { deep: '7' }]] });
  });

  test('of one script has the type of its result', async () => {
    const data = { n: 1.5, s: 'x', b: false, l: [1, null], o: { k: null } };
    const query = { n: 'jq(.n)', s: 'jq(.s)', b: 'jq(.b)', l: ' jq(.l)\n', o: 'js(return data.o)' };
    expect(await evaluate(query, data)).toEqual(data);
  });

  test.each([
    ['  plain  ', 'plain'],
    ['', ''],
    ['jq (.s)', 'jq (.s)'],
    ['pajq(.s)', 'pax'],
    ['<jq(.o)>', '<{"a":"\\u003cb\\u003e","z":[1,null]}>'],
    ['jq(.n)jq(.n)', '11'],
    ['jq(.n)%: jq(.b), js(return data.f)', '1%: true, 1e+21'],
    ['jq("(a)") js(return ")(".length)', null],
    ['a\njq(.s)\n', 'a\nx'],
  ])('%j of several pieces is the text %j', async (query, expected) => {
    const result = evaluate(query, { s: 'x', n: 1, b: true, f: 1e21, o: { z: [1, null], a: '<b>' } });
    if (expected === null) await expect(result).rejects.toThrow(QueryError);
    else expect(await result).toBe(expected);
  });

  test('may have keys with names of the object prototype', async () => {
    const query: unknown = JSON.parse('{"__proto__": "jq(.__proto__)", "constructor": "jq(.n)"}');
    const result = await evaluate(query, JSON.parse('{"__proto__": {"x": 1}, "n": 2}'));
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1},"constructor":2}');
  });

  test('of jq in the subset does not call the evaluator', async () => {
    const nobody: Evaluator = {
      evaluate: () => expect.unreachable('asked'),
      evaluateAll: () => expect.unreachable('asked'),
    };
    const query = { a: 'jq(.order.id)', b: 'n=jq(.n + 1)', c: ['jq(.n > 3 and .ok)'], d: 'jq({id: .order.id})' };
    const data = { order: { id: 'x' }, n: 3, ok: true };
    expect(await evaluateQuery(query, data, nobody)).toEqual({ a: 'x', b: 'n=4', c: [false], d: { id: 'x' } });
    await expect(evaluateQuery({ z: 'jq(1 |||)', a: 'jq(.q)' }, data, nobody)).rejects.toThrow("error in 'a'");
  });

  test('passes several scripts to the evaluator together, without those in the subset', async () => {
    const asked: unknown[] = [];
    const spy: Evaluator = {
      evaluate: (_, source) => Promise.resolve(asked.push(source)),
      evaluateAll: (scripts) => {
        asked.push(scripts.map(({ source }) => source));
        return Promise.resolve(scripts.map(({ source }) => ({ value: `<${source}>` })));
      },
    };
    const query = ['jq(now)', 'jq(.n)', 'js(return 1) and jq(..)'];
    expect(await evaluateQuery(query, { n: 5 }, spy)).toEqual(['<now>', 5, '<return 1> and <..>']);
    expect(asked).toEqual([['now', 'return 1', '..']]);
  });
});

describe('a query that fails', () => {
  test.each([
    ['jq(.missing)', 'error in jq query .missing: no results'],
    ['jq(null)', 'error in jq query null: no results'],
    ['jq(empty)', 'error in jq query empty: no results'],
    ['jq(.l[])', 'jq query produced multiple outputs: .l[]'],
    ['jq(.l[], input_line_number)', 'jq query produced multiple outputs: .l[], input_line_number'],
    [{ x: [0, 'a jq(1, 2)'] }, "error in 'x': error in element 1: jq query produced multiple outputs: 1, 2"],
    ['jq(null, 1)', 'error in jq query null, 1: no results'],
    ['jq(.a[)', 'error executing jq query .a[: unexpected token <EOF>'],
    ['jq(.a |||)', 'error executing jq query .a |||: unexpected token "|"'],
    ['jq(nope)', 'error executing jq query nope: function not defined: nope/0'],
    ['jq($nope)', 'error executing jq query $nope: variable not defined: $nope'],
    ['jq(error("boom"))', 'error executing jq query error("boom"): error: boom'],
    ['jq(error({a: 1}))', 'error executing jq query error({a: 1}): error: {"a":1}'],
    ['jq(.l.x)', 'error executing jq query .l.x: Cannot index array with string ("x")'],
    ['js(data.l)', 'error in js query data.l: no results'],
    ['js(return null)', 'error in js query return null: no results'],
    ['js(return NaN)', 'error running js query return NaN: Error: NaN cannot be stored'],
    ['js(return 1/0)', 'Infinity cannot be stored'],
    ['js(throw "boom")', 'error running js query throw "boom": boom'],
    ['js(throw new Error("boom"))', 'error running js query throw new Error("boom"): Error: boom at fn (<eval>:2'],
    ['js(return 10n ** 400n)', 'beyond the range of numbers, which ends at about 1.8e308: . is 1000'],
    ['js(const a = {}; a.a = a; return a)', 'the result is nested too deeply'],
    ['js(const)', 'error running js query const: SyntaxError'],
    ['x jq(.a', 'no closing bracket in jq query: jq(.a'],
  ])('%s has a message that explains it', async (query, expected) => {
    expect(await problemOf(query, { l: [1, 2] })).toContain(expected);
  });

  test('has a message with its place', async () => {
    expect(await problemOf({ a: 'ok', x: [1, { y: 'jq(.missing)' }] })).toBe(
      "error in 'x': error in element 1: error in 'y': error in jq query .missing: no results",
    );
    expect(await problemOf({ a: [], b: ['js(oops'] })).toContain(
      "error in 'b': error in element 0: no closing bracket",
    );
  });

  test('has the message of its first failure, in the order of sorted keys', async () => {
    const query = { z: 'jq(error("z"))', m: 'js(throw "m")', b: 'jq(.q)', a: 'jq(now | 1)' };
    expect(await problemOf(query)).toContain("error in 'b': ");
    expect(await problemOf({ ...query, b: 'jq(1)' })).toContain("error in 'm': ");
  });

  test('may be nested too deeply', async () => {
    let query: unknown = 'x';
    for (let depth = 0; depth < 1100; depth += 1) query = [query];
    expect(await problemOf(query)).toContain('nested too deeply');
  });

  test('has a message of limited length', async () => {
    expect((await problemOf('jq(error("x" * 1000000))')).length).toBeLessThan(11_000);
  });
});

describe('a result of js', () => {
  test.each([
    ['return new Date(0)', '1970-01-01T00:00:00Z'],
    ['return [new Set([1, 2]), new Map([["a", 1]])]', [[1, 2], [['a', 1]]]],
    ['return () => 1', {}],
    ['return {u: undefined, n: null, f: Math.max}', { u: null, n: null, f: {} }],
    ['return [,1]', [null, 1]],
    ['return new String("a")', 'a'],
    ['return false', false],
    ['return 0', 0],
    ['return ""', ''],
    ['return new Uint8Array([1, 2])', [1, 2]],
    ['box = {}; box.x = data["a"]; return box', { x: 'v' }],
    ['return data.a?.length ?? 2 ** 3', 1],
  ])('%s is converted to JSON', async (source, expected) => {
    expect(await evaluate(`js(${source})`, { a: 'v' })).toEqual(expected);
  });
});

test('a query has scripts if one of its texts, at any depth, contains one', () => {
  expect(hasScripts('a jq(.b)')).toBe(true);
  expect(hasScripts({ a: ['x', { b: 'js(' }] })).toBe(true);
  expect(hasScripts({ 'jq(.a)': ['jq .', 'jq (.)', 1, null] })).toBe(false);
});
