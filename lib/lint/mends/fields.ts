import type { Position } from '../../language/position.ts';
import type { Node } from '../../language/yaml/parser.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Edit } from '../reports/finding.ts';
import type { MakeMend } from './words.ts';

/** The edit that removes a line. */
export const lineEdit = (line: number): Edit => ({
  from: { line, column: 1 },
  to: { line: line + 1, column: 1 },
  text: '',
});

/** The edit that adds a field before the first one of a map; undefined for an empty map and other nodes. */
export function withFirstField({ source }: Workflow, node: Node, field: string): readonly Edit[] | undefined {
  if (node.kind !== 'map') return undefined;
  const begin = source.offsetOf(node);
  const [first] = node.entries.values();
  if (first === undefined) return undefined;
  const isFlow = source.text[begin] === '{';
  const at = isFlow ? source.at(begin + 1) : { line: first.line, column: first.column };
  return [{ from: at, to: at, text: isFlow ? `${field}, ` : `${field}\n${' '.repeat(first.column - 1)}` }];
}

/** Values with which a required field is complete, until the author writes the true one. */
const VALUES: Readonly<Record<string, string>> = {
  duration: 'PT5S',
  array: 'jq(.items)',
  condition: 'jq(.ok == true)',
  key: 'name',
  value: 'jq(.)',
  scope: 'workflow',
  error: 'failed',
  message: 'failed',
  schema: '{type: object}',
  source: 'weft',
  cron: "'0 8 * * *'",
};

/** The map at a position: of a state, a function, or inside them. */
function mapAt(node: Node, at: Position): Node | undefined {
  if (node.kind === 'scalar') return undefined;
  if (node.kind === 'map' && node.line === at.line && node.column === at.column) return node;
  const inner = node.kind === 'list' ? node.items : [...node.entries.values()].map((entry) => entry.node);
  for (const child of inner) {
    const found = mapAt(child, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Adds a field that is missing, with a value of the right form. */
export const addMissing: MakeMend = (workflow, problem) => {
  const name = /(\w+) required$/.exec(problem.message)?.[1] ?? '';
  const value = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  const node = value === undefined ? undefined : mapAt(workflow.root, problem);
  if (node?.kind !== 'map' || node.entries.has(name)) return undefined;
  const edits = withFirstField(workflow, node, `${name}: ${value}`);
  return edits && { title: `add '${name}: ${value}'`, edits, isCertain: false };
};
