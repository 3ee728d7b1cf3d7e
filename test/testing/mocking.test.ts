import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import type { Plan } from '../../lib/compiler/plan/plan.ts';
import { placeOf } from '../../lib/language/yaml/places.ts';
import { decodeSuite } from '../../lib/testing/format/decode.ts';
import { stagedSource } from '../../lib/testing/mocking/functions.ts';
import { MockScript } from '../../lib/testing/mocking/script.ts';

function planOf(source: string): Plan | undefined {
  const compiled = compile(source);
  return 'plan' in compiled ? compiled.plan : undefined;
}

function scriptOf(mocks: string): MockScript {
  const decoded = decodeSuite(`cases: [{name: a, workflow: f, mocks: ${mocks}}]`);
  if ('problems' in decoded) throw new Error(JSON.stringify(decoded.problems));
  return new MockScript(new Map(decoded.suite.cases[0]?.mocks.map((mock) => [`/f#${mock.function}`, mock])));
}

let calls = 0;
const newId = (): string => {
  calls += 1;
  return `call-${calls}`;
};

function answer(script: MockScript, input: unknown = {}, id = newId()): unknown {
  const answered = script.answer({ function: '/f#g', id, input });
  return 'problem' in answered ? answered.problem : (answered.answer.return ?? answered.answer.error?.code);
}

describe('a staged workflow', () => {
  const recorded = JSON.parse(readFileSync('test/conformance/workflows.json', 'utf8')) as Record<string, unknown>;
  const sources = Object.values(recorded)
    .map((one) => (typeof one === 'string' ? one : (one as { readonly source?: string; readonly yaml?: string })))
    .map((one) => (typeof one === 'string' ? one : (one.source ?? one.yaml ?? '')));

  test('has the plan of the original, apart from its functions', () => {
    let staged = 0;
    for (const source of sources) {
      const plan = planOf(source);
      if (plan === undefined || Object.keys(plan.functions).length === 0) continue;
      const after = planOf(stagedSource({ path: 'f', source, plan, isMocked: () => true, startsByHand: false }));
      expect(after?.states).toBeDefined();
      expect({ ...after, functions: {} }).toEqual({ ...plan, functions: {} });
      expect(Object.keys(after?.functions ?? {})).toEqual(Object.keys(plan.functions));
      expect(Object.values(after?.functions ?? {}).map(({ type }) => type)).toEqual(
        Object.values(plan.functions).map(() => 'knative-workflow'),
      );
      staged += 1;
    }
    expect(staged).toBeGreaterThan(20);
  });

  test.each([
    [
      'functions:\n# first\n- {id: c, type: reusable, image: i}\n- id: d\n  type: http\n  url: "http://u"\n\nstates:\n- {id: a, type: noop}',
    ],
    ['states:\n- {id: a, type: noop}\nfunctions:\n- {id: c, type: reusable, image: i}\n'],
    ['states:\r\n- id: a\r\n  type: noop\r\n  log: |+\r\n    x\r\n\r\nfunctions: [{id: c, type: reusable, image: i}]'],
    ['  functions: [{id: c, type: reusable, image: i}]\n  states: [{id: a, type: noop}]'],
    ['{"functions": [{"id": "c", "type": "reusable", "image": "i"}], "states": [{"id": "a", "type": "noop"}]}\n'],
    ['{states: [{id: a, type: noop}], functions: [{id: c, type: reusable, image: i}]}'],
    [
      "start: {type: scheduled, cron: '* * * * *'}\nfunctions: [{id: c, type: reusable, image: i}]\nstates:\n- {id: a, type: noop}",
    ],
  ])('keeps the places of its states: %j', (source) => {
    const plan = planOf(source) as Plan;
    const after = stagedSource({ path: 'f', source, plan, isMocked: () => false, startsByHand: true });
    expect(planOf(after)?.functions['c']).toMatchObject({ image: 'weft-test:/f#c' });
    expect(placeOf(after, 'a', '')).toEqual(placeOf(source, 'a', ''));
  });

  test('keeps its meaning where a state refers to an anchor in a function', () => {
    const source =
      'functions: [{id: c, type: reusable, image: &i img}]\nstates: [{id: a, type: noop, transform: {image: *i}}]';
    const plan = planOf(source) as Plan;
    const after = planOf(stagedSource({ path: 'f', source, plan, isMocked: () => false, startsByHand: false }));
    expect(after?.states).toEqual(plan.states);
    expect(after?.functions['c']).toMatchObject({ image: 'weft-test:/f#c' });
  });

  test('keeps its subflows if they are not mocked', () => {
    const source =
      'functions: [{id: s, type: subflow, workflow: s}, {id: c, type: reusable, image: i}]\nstates: [{id: a, type: noop}]';
    const plan = planOf(source) as Plan;
    const after = planOf(stagedSource({ path: 'f', source, plan, isMocked: () => false, startsByHand: false }));
    expect(after?.functions).toEqual({
      s: { type: 'subflow', workflow: 's' },
      c: { type: 'knative-workflow', image: 'weft-test:/f#c', size: 'small', cmd: '', scale: 0, envs: {} },
    });
  });

  test('is not started by the clock if it is started by hand', () => {
    const source =
      "start: {type: scheduled, cron: '* * * * *', state: b}\nstates: [{id: a, type: noop}, {id: b, type: noop}]";
    const plan = planOf(source) as Plan;
    const staging = { path: 'f', source, plan, isMocked: () => false };
    expect(planOf(stagedSource({ ...staging, startsByHand: true }))).toMatchObject({
      start: { type: 'default' },
      entry: 'b',
    });
    expect(stagedSource({ ...staging, startsByHand: false })).toBe(source);
  });
});

describe('a mock', () => {
  test('of one answer gives it to every call', () => {
    const script = scriptOf('{g: {return: 1}}');
    expect([answer(script), answer(script)]).toEqual([1, 1]);
  });

  test('of a list gives its answers one after the other, and then has none', () => {
    const script = scriptOf('{g: [{error: e}, {return: 2}]}');
    expect([answer(script), answer(script)]).toEqual(['e', 2]);
    expect(answer(script)).toBe(
      "the mock of 'g' has 2 answers, and the function was called a third time; add 'repeat: true' to the last",
    );
  });

  test('selects answers by parts of the input, and repeats one that may be', () => {
    const script = scriptOf('{g: [{input: {a: 1}, return: one, repeat: true}, {return: other}]}');
    const inputs = [{ a: 1 }, { a: 2 }, { a: 1, b: 2 }];
    expect(inputs.map((input) => answer(script, input))).toEqual(['one', 'other', 'one']);
    expect(answer(script, { a: 3 })).toBe(
      `the mock of 'g' has no answer left for a fourth call with the input {"a":3}`,
    );
  });

  test('gives a repeated call the same answer', () => {
    const script = scriptOf('{g: [{return: 1}, {return: 2}]}');
    expect([answer(script, {}, 'x'), answer(script, {}, 'x'), answer(script, {}, 'y')]).toEqual([1, 1, 2]);
  });

  test('is demanded for a function without one', () => {
    expect(answer(scriptOf('{}'))).toBe(
      "a test cannot call the function 'g' of 'f': add a mock, for example mocks: {g: {return: {}}}",
    );
  });
});
