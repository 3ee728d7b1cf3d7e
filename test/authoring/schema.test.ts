import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { COMMON_FIELDS, INNER_FIELDS, TYPE_FIELDS, WORKFLOW_FIELDS } from '../../lib/authoring/schema/descriptions.ts';
import { type SectionName, TYPES } from '../../lib/authoring/schema/language.ts';
import { workflowSchema } from '../../lib/authoring/schema/schema.ts';
import { compile } from '../../lib/compiler/compile.ts';
import { parseYaml } from '../../lib/language/yaml/parser.ts';
import { MISTAKES } from '../lint/mistakes.ts';

const isValid = new Ajv({ strict: false, allErrors: true }).compile(workflowSchema());

/** The errors of the schema for a text; undefined for a text that is not YAML. */
function errorsOf(text: string): readonly string[] | undefined {
  const parsed = parseYaml(text);
  if ('problems' in parsed) return undefined;
  isValid(parsed.root.value);
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

interface Recorded {
  readonly name: string;
  readonly yaml: string;
  readonly children?: readonly { readonly path: string; readonly yaml: string }[];
}

const read = (name: string) => readFileSync(`test/conformance/${name}`, 'utf8');
const recorded: Recorded[] = [
  ...JSON.parse(read('workflows.json')),
  ...read('runs.jsonl')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line)),
];
const texts = recorded.flatMap(({ name, yaml, children = [] }) => [
  { name, text: yaml },
  ...children.map((child) => ({ name: `${name} ${child.path}`, text: child.yaml })),
]);
const examples = globSync('examples/**/*.yaml').filter((file) => !/^runs\.yaml$|\.test\.yaml$/.test(basename(file)));
const pages = globSync('docs/**/*.md').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => ({
    name: file,
    text,
  })),
);

describe('the JSON Schema of workflows', () => {
  test('accepts every text that compiles: recorded ones, examples, documentation', () => {
    const all = [...texts, ...examples.map((name) => ({ name, text: readFileSync(name, 'utf8') })), ...pages];
    const compiled = all.filter(({ text }) => 'plan' in compile(text));
    expect(compiled.length).toBeGreaterThan(350);
    const refused = compiled.map(({ name, text }) => ({ name, errors: errorsOf(text) }));
    expect(refused.filter(({ errors }) => errors?.length !== 0)).toEqual([]);
  });

  /** Mistakes that no schema can describe: names that are declared elsewhere, repetitions. */
  const BEYOND = ['yaml', 'unknown-state', 'unknown-function', 'duplicate-id'];
  const frame = MISTAKES.filter(({ text }) => 'problems' in compile(text.replace('▸', ''))).filter(
    ({ rule }) => !BEYOND.includes(rule),
  );

  test.each(frame)('refuses the mistake: $rule $text', ({ text }) => {
    expect(errorsOf(text.replace('▸', ''))).not.toEqual([]);
  });

  const refusals = texts.filter(({ text }) => {
    const compiled = compile(text);
    if (!('problems' in compiled) || compiled.problems[0]?.message.startsWith('yaml')) return false;
    return !/does not exist|more than one|does not exist|twice|invalid schema/.test(
      compiled.problems[0]?.message ?? '',
    );
  });

  test.each(refusals)('refuses what the original refuses: $name', ({ text }) => {
    expect(errorsOf(text)).not.toEqual([]);
  });

  test('is published as it is (else: npm run docs)', () => {
    expect(JSON.parse(readFileSync('docs/workflow.schema.json', 'utf8'))).toEqual(workflowSchema());
  });
});

describe('the descriptions of the language', () => {
  interface Part {
    readonly properties?: Readonly<Record<string, Part>>;
    readonly items?: Part;
    readonly description?: string;
    readonly $ref?: string;
  }
  const { properties, definitions } = workflowSchema() as unknown as Part & { definitions: Record<string, Part> };

  const without = (part: Part, path: string): string[] =>
    Object.entries(part.properties ?? part.items?.properties ?? {}).flatMap(([name, field]) => [
      ...(field.description === undefined ? [`${path}.${name}`] : []),
      ...without(field, `${path}.${name}`),
    ]);

  test('are there for each type and field', () => {
    expect(without({ properties: properties ?? {} }, '')).toEqual([]);
    expect(Object.entries(definitions).flatMap(([name, part]) => without(part, name))).toEqual([]);
    expect(Object.values(TYPES).flatMap((types) => types.filter(({ description }) => description === ''))).toEqual([]);
  });

  test('are for types and fields that exist', () => {
    const written = JSON.stringify(workflowSchema());
    const all = [
      ...Object.values(WORKFLOW_FIELDS),
      ...Object.values(INNER_FIELDS).flatMap((fields) => Object.values(fields)),
      ...(Object.keys(TYPES) as SectionName[]).flatMap((section) => [
        ...Object.values(COMMON_FIELDS[section]),
        ...Object.values(TYPE_FIELDS[section]).flatMap((fields) => Object.values(fields)),
      ]),
    ];
    expect(all.filter((text) => !written.includes(JSON.stringify(text)))).toEqual([]);
  });
});

test.each(examples)('the example %s names the schema for editors', (file) => {
  const [first = ''] = readFileSync(file, 'utf8').split('\n');
  const depth = file.split('/').length - 1;
  expect(first).toBe(`# yaml-language-server: $schema=${'../'.repeat(depth)}docs/workflow.schema.json`);
});
