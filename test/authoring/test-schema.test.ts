import { globSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { TEST_FIELDS, testSchema } from '../../lib/authoring/schema/test-schema.ts';
import { parseYaml } from '../../lib/language/yaml/parser.ts';
import { decodeSuite } from '../../lib/testing/format/decode.ts';

const isValid = new Ajv({ strict: false, allErrors: true }).compile(testSchema());

function errorsOf(text: string): readonly string[] {
  const parsed = parseYaml(text);
  if ('problems' in parsed) return ['no YAML'];
  isValid(parsed.root.value);
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const examples = globSync('examples/**/*.test.yaml').map((file) => readFileSync(file, 'utf8'));
const page = readFileSync('docs/testing.md', 'utf8');
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
/** A part of a case that the page shows alone, in a case. */
const inCase = (text: string) =>
  `workflow: a.yaml\ncases:\n- name: a\n${text.replaceAll(/^(?=.)/gm, '  ').replaceAll('...', '{return: {}}')}`;

describe('the JSON Schema of files of tests', () => {
  test('accepts every file that is accepted: examples, documentation', () => {
    const accepted = [...examples, ...blocks, ...blocks.map(inCase)].filter((text) => 'suite' in decodeSuite(text));
    expect(accepted.length).toBeGreaterThanOrEqual(examples.length + 4);
    expect(accepted.map((text) => [text, errorsOf(text)]).filter(([, errors]) => errors?.length !== 0)).toEqual([]);
  });

  test.each([
    ['a field of a case', 'expected: {}'],
    ['a field of an answer', 'mocks: {f: {result: 1}}'],
    ['a field of one of several answers', 'mocks: {f: {answers: [{retrun: 1}]}}'],
    ['a scope of variables', 'variables: {global: {a: 1}}'],
    ['a decision without a choice', 'decisions: [{by: Ada}]'],
    ['an event without a type', 'events: [{after: PT1S}]'],
    ['a time that is no duration', 'mocks: {f: {return: 1, delay: 5s}}'],
    ['a status', 'expect: {status: done}'],
  ])('refuses a mistake in %s', (_name, text) => {
    const whole = `workflow: a.yaml\ncases: [{name: a, ${text}}]`;
    expect('problems' in decodeSuite(whole)).toBe(true);
    expect(errorsOf(whole)).not.toEqual([]);
    expect(errorsOf('workflow: a.yaml\ncases: [{name: a}]')).toEqual([]);
  });

  test('describes every field, and no other', () => {
    const { definitions, properties } = testSchema() as never as {
      readonly properties: object;
      readonly definitions: Readonly<Record<string, { readonly properties?: Readonly<Record<string, object>> }>>;
    };
    const { suite, case: ofCase, ...parts } = TEST_FIELDS;
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(suite).toSorted());
    const inOne = Object.values(definitions['case']?.properties ?? {});
    expect(inOne.every((one) => 'description' in one)).toBe(true);
    expect(Object.keys(ofCase).every((name) => name in (definitions['case']?.properties ?? {}))).toBe(true);
    for (const [name, fields] of Object.entries(parts)) {
      expect(Object.keys(definitions[name]?.properties ?? {}).toSorted()).toEqual(Object.keys(fields).toSorted());
    }
  });
});
