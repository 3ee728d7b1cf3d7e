import { type Context, createContext, reportInvalid } from '../../compiler/decoding/context.ts';
import { anyText, createDecoder, type Field, list, required } from '../../compiler/decoding/decoders.ts';
import { acceptedFields, decodeFields } from '../../compiler/decoding/object.ts';
import { addProblem, type Problem } from '../../language/problem.ts';
import { type Json, type MapNode, type Node, parseYaml } from '../../language/yaml/parser.ts';
import { decisions } from './decisions.ts';
import { instant, json, mapOf, objectOf, variables } from './decoders.ts';
import { events } from './events.ts';
import { expectation } from './expectations.ts';
import { mocks } from './mocks.ts';
import type { Mock, TestCase, TestScope, TestSuite, TestVariables } from './suite.ts';

const everyText = list(anyText);

const texts = createDecoder(everyText.accepts, (node, field, context) =>
  node === undefined ? undefined : everyText(node, field, context).filter((one) => one !== undefined),
);

/** The fields that a case may have, and the file for all its cases. */
const SHARED = {
  workflow: anyText,
  others: texts,
  variables,
  secrets: mapOf(required(anyText)),
  mocks,
  now: instant,
};

const SUITE = {
  ...SHARED,
  folders: texts,
  cases: createDecoder({ kind: 'list', of: { kind: 'map' } }, (node) => node),
};
const CASE = {
  ...SHARED,
  name: anyText,
  input: json,
  events,
  decisions,
  skip: anyText,
  expect: expectation,
};

/** The fields of a file of tests, and of a case. */
export const SUITE_FIELDS = acceptedFields(SUITE);
export const CASE_FIELDS = acceptedFields(CASE);

type Shared = ReturnType<typeof decodeFields<typeof SHARED>>;

const PREFIXES = { undecodable: '', untyped: '', unknownType: '', invalid: '' };
const EXAMPLE = 'the smallest test is `workflow: flow.yaml` and `cases: [{name: it works}]`';

/** The mocks of a case, and those of the file for other functions. */
function mergedMocks(ofFile: readonly Mock[], own: readonly Mock[]): readonly Mock[] {
  const names = new Set(own.map((mock) => mock.function));
  const shared = ofFile.filter((mock) => !names.has(mock.function)).map((mock) => ({ ...mock, isShared: true }));
  return [...shared, ...own];
}

function mergedVariables(ofFile: TestVariables, own: TestVariables): TestVariables {
  const scopes = new Set([...Object.keys(ofFile), ...Object.keys(own)]) as Set<TestScope>;
  return Object.fromEntries([...scopes].map((scope) => [scope, { ...ofFile[scope], ...own[scope] }]));
}

/** The name of a case. A field that is null counts as absent elsewhere; a name may be meant as the text. */
function nameOf(node: MapNode, name: string | undefined, context: Context): string {
  if (name !== undefined && name !== '') return name;
  const entry = [...node.entries.values()].find(({ key }) => key.toLowerCase() === 'name');
  const written = entry?.node.kind === 'scalar' && entry.node.value === null ? entry.node.text : '';
  if (written !== '') {
    reportInvalid(context, entry?.node ?? node, `name must be text, not ${written}`, () => 'put the value in quotes');
  } else if (entry === undefined || entry.node.value === null || name === '') {
    reportInvalid(context, entry ?? node, 'name required');
  }
  return '';
}

function decodeCase(node: Node, index: number, shared: Shared, context: Context): TestCase | undefined {
  if (node.kind !== 'map') {
    addProblem(context.undecodable, node, `cases[${index}] must be a map`, () => EXAMPLE);
    return undefined;
  }
  const { line, column } = node;
  const own = decodeFields(node, CASE, context);
  const workflow = own.workflow ?? shared.workflow;
  const at: Field = { name: 'workflow', line, column };
  if (workflow === undefined) {
    reportInvalid(
      context,
      at,
      'workflow required',
      () => 'name its file, relative to this one, as `workflow: flow.yaml`',
    );
  }
  const secrets = { ...objectOf(shared.secrets), ...objectOf(own.secrets) } as Readonly<Record<string, string>>;
  return {
    line,
    column,
    name: nameOf(node, own.name, context),
    workflow: workflow ?? '',
    others: own.others ?? shared.others ?? [],
    input: own.input as Json | undefined,
    variables: mergedVariables(shared.variables, own.variables),
    secrets,
    mocks: mergedMocks(shared.mocks, own.mocks),
    events: own.events,
    decisions: own.decisions,
    now: own.now ?? shared.now,
    skip: own.skip,
    expect: own.expect,
  };
}

function reportRepeatedNames(cases: readonly TestCase[], context: Context): void {
  const seen = new Map<string, TestCase>();
  for (const one of cases.filter(({ name }) => name !== '')) {
    const first = seen.get(one.name);
    if (first === undefined) seen.set(one.name, one);
    else reportInvalid(context, one, `two cases are named '${one.name}', also that in line ${first.line}`);
  }
}

/**
 * Decodes a file of tests, or returns all its problems, in the order of their places. Never throws. Workflows that it
 * names are not read.
 */
export function decodeSuite(source: string): { readonly suite: TestSuite } | { readonly problems: readonly Problem[] } {
  const parsed = parseYaml(source);
  if ('problems' in parsed) return parsed;
  const { root } = parsed;
  if (root.kind !== 'map') {
    return { problems: [{ message: 'the file has no tests', line: 1, column: 1, hint: EXAMPLE }] };
  }
  const context = createContext(PREFIXES, { schemaParts: 0 });
  const { cases: listed, folders, ...shared } = decodeFields(root, SUITE, context);
  const cases = decodeCases(root, listed, shared, context);
  reportRepeatedNames(cases, context);
  const problems = [...context.undecodable, ...context.invalid];
  const byPlace = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return byPlace.length > 0 ? { problems: byPlace } : { suite: { cases, folders: folders ?? [] } };
}

function decodeCases(root: Node, listed: Node | undefined, shared: Shared, context: Context): TestCase[] {
  if (listed?.kind !== 'list' || listed.items.length === 0) {
    addProblem(context.undecodable, listed ?? root, "'cases' must be a list with at least one case", () => EXAMPLE);
    return [];
  }
  const cases = listed.items.map((node, index) => decodeCase(node, index, shared, context));
  return cases.filter((one) => one !== undefined);
}
