import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { cases } from '../effort.ts';
import fc from '../fast-check.ts';
import { planOf } from './texts.ts';

interface Validation {
  readonly isValid: boolean;
  readonly errorsText: () => string;
}

// The package has no types, and it writes default values into its argument.
const validator = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => Validation;

const id = fc.stringMatching(/^[a-z]([a-z0-9_.-]{0,100}[a-z0-9])?$/);
const value = fc.jsonValue({ maxDepth: 3 });
const text = fc.string({ minLength: 1 });

/** The fields of states that do not wait. */
const work = fc.oneof(
  fc.constant({ type: 'noop' }),
  fc.record({ type: fc.constant('error'), error: text, message: text, args: fc.array(fc.string()) }),
  fc.record({ type: fc.constant('validate'), schema: fc.constant({ type: 'object' }), subject: fc.string() }),
  fc.record({
    type: fc.constant('getter'),
    variables: fc.array(fc.record({ key: text, scope: fc.constantFrom('instance', 'workflow', 'system') }), {
      minLength: 1,
    }),
  }),
  fc.record({
    type: fc.constant('setter'),
    variables: fc.array(fc.record({ key: text, scope: fc.constantFrom('thread', 'namespace'), value: fc.integer() }), {
      minLength: 1,
    }),
  }),
  fc.record({ type: fc.constant('generateEvent'), event: fc.record({ type: text, source: text, data: value }) }),
);

/** A workflow without waits, with random transitions between its states. */
const workflow = fc.uniqueArray(id, { minLength: 1, maxLength: 12 }).chain((ids) => {
  const state = (name: string) =>
    fc.record({
      work,
      transition: fc.option(fc.constantFrom(...ids), { nil: undefined }),
      catch: fc.array(fc.record({ error: text, transition: fc.constantFrom(...ids) }), { maxLength: 2 }),
      transform: value,
      name: fc.constant(name),
    });
  return fc.tuple(...ids.map(state));
});

const toYaml = (states: readonly { name: string; work: object }[]): string =>
  JSON.stringify({ states: states.map(({ name, work: written, ...rest }) => ({ id: name, ...written, ...rest })) });

test('the machine of a workflow without waits is valid for asl-validator', () => {
  fc.assert(
    fc.property(workflow, (states) => {
      const { definition } = emit(planOf(toYaml(states)));
      const validation = validator(structuredClone(definition));
      expect(validation.errorsText()).toBe('');
      expect(validation.isValid).toBe(true);
      const names = Object.keys(definition.States);
      expect(names.filter((name) => name.length > 80 || /\p{Cc}/u.test(name))).toEqual([]);
    }),
    // The validator compiles its schemas again for each machine.
    { numRuns: cases(20, 50) },
  );
});

test('a plan is plain JSON, unchanged by storing it', () => {
  fc.assert(
    fc.property(workflow, (states) => {
      const plan = planOf(toYaml(states));
      expect(JSON.parse(JSON.stringify(plan))).toStrictEqual(plan);
    }),
    // The validator compiles its schemas again for each machine.
    { numRuns: cases(20, 50) },
  );
});

/** Expects a plan, or problems with positions in the text. */
function expectPlanOrProblems(source: string): void {
  const compiled = compile(source);
  if ('plan' in compiled) return;
  const lines = source.split(/\r\n|\r|\n/);
  expect(compiled.problems.length).toBeGreaterThan(0);
  for (const { line, column, message } of compiled.problems) {
    expect(message).not.toBe('');
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThan(0);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
  }
}

const WORDS = [
  'states:',
  'functions:',
  'start:',
  'id: a',
  'type: noop',
  'type: action',
  'action:',
  'function: f',
  'catch:',
];
const SIGNS = [
  '- ',
  '? ',
  ': ',
  '[',
  ']',
  '{',
  '}',
  ',',
  '&a ',
  '*a',
  '<<: *a',
  '!!str ',
  '| ',
  '> ',
  '"',
  "'",
  '#',
  '\n',
  '\t',
];
const token = fc.oneof(
  fc.constantFrom(...WORDS, ...SIGNS, ' ', '  ', '\n', '\n  ', '---\n', '\r\n', 'jq(.x)'),
  fc.string({ maxLength: 5 }),
);

test('any text has a plan or problems', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectPlanOrProblems), {
    numRuns: cases(200, 500),
  });
});

test('any text of tokens of the language has a plan or problems', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), (tokens) => expectPlanOrProblems(tokens.join(''))),
    { numRuns: cases(700, 1200) },
  );
});

test('any value in any field of a workflow gives a plan or problems', () => {
  const field = fc.constantFrom(
    'id',
    'type',
    'action',
    'actions',
    'events',
    'event',
    'catch',
    'variables',
    'conditions',
    'schema',
    'mode',
  );
  const type = fc.constantFrom(
    'noop',
    'action',
    'parallel',
    'foreach',
    'eventsXor',
    'consumeEvent',
    'getter',
    'switch',
    'validate',
  );
  const state = fc
    .tuple(type, fc.dictionary(field, value))
    .map(([name, fields]) => ({ id: 'a', type: name, ...fields }));
  const part = fc.constantFrom('start', 'functions', 'timeouts', 'description');
  const document = fc.tuple(fc.dictionary(part, value), fc.array(state)).map(([top, states]) => ({ ...top, states }));
  fc.assert(
    fc.property(document, (written) => expectPlanOrProblems(JSON.stringify(written))),
    { numRuns: cases(400, 600) },
  );
});
