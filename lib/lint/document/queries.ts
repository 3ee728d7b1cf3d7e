import type { WorkKind } from '../../compiler/plan/plan.ts';
import type { SourceText } from '../../language/position.ts';
import type { Node, ScalarNode } from '../../language/yaml/parser.ts';
import { createScalarLocator } from '../../language/yaml/scalar-positions.ts';
import { type LocatedScripts, locateScripts, programOf, type Script } from './scripts.ts';

/** The role of a query in its state. */
export type QueryRole =
  | 'log'
  | 'metadata'
  | 'transform'
  | 'condition'
  | 'input'
  | 'file'
  | 'array'
  | 'key'
  | 'value'
  | 'mimeType'
  | 'data'
  | 'context'
  | 'subject'
  | 'message'
  | 'argument';

/** The fields of a state that are queries, as paths; `*` is each element. */
type QueryFields = readonly (readonly [path: string, role: QueryRole])[];

const EVERY_STATE: QueryFields = [
  ['log', 'log'],
  ['metadata', 'metadata'],
  ['transform', 'transform'],
];

/** The fields of a workflow that are queries over the input of a run. */
const OF_INPUT: QueryFields = [
  ['labels', 'value'],
  ['cancelOn.context', 'context'],
];

const actionFields = (action: string): QueryFields => [
  [`${action}.input`, 'input'],
  [`${action}.files.*.key`, 'file'],
  [`${action}.files.*.as`, 'file'],
  [`${action}.files.*.scope`, 'file'],
  [`${action}.files.*.type`, 'file'],
];

/** The fields that are queries, by the kind of work (workflow-language 5). */
const FIELDS: Readonly<Record<WorkKind, QueryFields>> = {
  nothing: [],
  choose: [
    ['conditions.*.condition', 'condition'],
    ['conditions.*.transform', 'transform'],
    ['defaultTransform', 'transform'],
  ],
  validate: [['subject', 'subject']],
  raise: [
    ['message', 'message'],
    ['args.*', 'argument'],
  ],
  read: [['variables.*.key', 'key']],
  write: [
    ['variables.*.key', 'key'],
    ['variables.*.value', 'value'],
    ['variables.*.mimeType', 'mimeType'],
  ],
  emit: [
    ['event.data', 'data'],
    ['event.context', 'context'],
  ],
  sleep: [],
  call: actionFields('action'),
  each: [['array', 'array'], ...actionFields('action')],
  all: actionFields('actions.*'),
  listen: [
    ['event.context', 'context'],
    ['events.*.context', 'context'],
  ],
  approve: [
    ['subject', 'message'],
    ['text', 'message'],
    ['assignees', 'argument'],
    ...actionFields('notify'),
    ...actionFields('remind.action'),
    ...actionFields('escalate.action'),
    ['remind.event.data', 'data'],
    ['remind.event.context', 'context'],
    ['escalate.event.data', 'data'],
    ['escalate.event.context', 'context'],
  ],
  'listen-any': [
    ['events.*.event.context', 'context'],
    ['events.*.transform', 'transform'],
  ],
};

/** A text inside a query, with its scripts. */
export interface QueryText {
  readonly node: ScalarNode;
  readonly scripts: readonly Script[];
  /** The offset of a script without a closing bracket. */
  readonly unclosed?: number;
}

/** A query of a state. */
export interface QueryView {
  readonly role: QueryRole;
  /** The path of the field in the state, for example `conditions.0.condition`. */
  readonly path: string;
  readonly node: Node;
  /** The texts in the query, of which only those with scripts are evaluated. */
  readonly texts: readonly QueryText[];
}

/** A node with its path below another. */
interface Located {
  readonly path: string;
  readonly node: Node;
}

/** Returns the nodes at a path of field names, which match in any case, and numbers of elements, with their own paths. */
export function select(node: Node, path: string): readonly Located[] {
  let found: Located[] = [{ path: '', node }];
  for (const name of path.split('.')) {
    found = found.flatMap((one) => {
      const inner = name === '*' ? elementsOf(one.node) : memberOf(one.node, name);
      return inner.map(([key, child]) => ({ path: one.path === '' ? key : `${one.path}.${key}`, node: child }));
    });
    if (found.length === 0) break;
  }
  return found;
}

const elementsOf = (node: Node): [string, Node][] =>
  node.kind === 'list' ? node.items.map((item, index) => [String(index), item]) : [];

function memberOf(node: Node, name: string): [string, Node][] {
  const element = node.kind === 'list' && /^\d+$/.test(name) ? node.items[Number(name)] : undefined;
  if (element !== undefined) return [[name, element]];
  if (node.kind !== 'map') return [];
  const exact = node.entries.get(name);
  if (exact !== undefined) return [[name, exact.node]];
  for (const [key, entry] of node.entries) {
    if (key.length === name.length && key.toLowerCase() === name.toLowerCase()) return [[name, entry.node]];
  }
  return [];
}

function textsOf(node: Node, source: SourceText): QueryText[] {
  if (node.kind === 'list') return node.items.flatMap((item) => textsOf(item, source));
  if (node.kind === 'map') return [...node.entries.values()].flatMap((entry) => textsOf(entry.node, source));
  return typeof node.value === 'string' ? [toText(node, locateScripts(node.text), source)] : [];
}

/** The view of a text with its scripts. */
export function toText(node: ScalarNode, { scripts, unclosed }: LocatedScripts, source: SourceText): QueryText {
  const trimmed = node.text.trim();
  let locate: ReturnType<typeof createScalarLocator> | undefined;
  const views = scripts.map((script): Script => {
    const at = (offset: number) => {
      locate ??= createScalarLocator(source, node);
      return locate(script.from + offset);
    };
    const isWhole = trimmed.length === script.source.length + 4 && trimmed.startsWith(`${script.kind}(`);
    return { ...script, node, isWhole, at, ...(script.kind === 'jq' && { program: programOf(script.source) }) };
  });
  return { node, scripts: views, ...(unclosed !== undefined && { unclosed }) };
}

/** Returns the queries of a state with this kind of work, in the order of the table. */
export const queriesOf = (state: Node, kind: WorkKind, source: SourceText): readonly QueryView[] =>
  queriesAt(state, [...EVERY_STATE, ...FIELDS[kind]], source);

/** Returns the queries of a workflow over the input of a run. */
export const queriesOfInput = (root: Node, source: SourceText): readonly QueryView[] =>
  queriesAt(root, OF_INPUT, source);

function queriesAt(node: Node, fields: QueryFields, source: SourceText): readonly QueryView[] {
  return fields.flatMap(([path, role]) =>
    select(node, path).map((found) => ({ ...found, role, texts: textsOf(found.node, source) })),
  );
}
