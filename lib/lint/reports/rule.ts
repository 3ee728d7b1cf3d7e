import type { Position } from '../../language/position.ts';
import type { Node } from '../../language/yaml/parser.ts';
import { select } from '../document/queries.ts';
import type { Script } from '../document/scripts.ts';
import type { Folder, StateView, Workflow } from '../document/workflow.ts';
import type { Mend, Report, Severity } from './finding.ts';

/** A rule: its check, and the texts that its page in the documentation shows. */
export interface Rule {
  readonly severity: Severity;
  /** The mistake, and its effect in a run, in sentences for the documentation. */
  readonly about: string;
  /** A workflow that the rule finds something in, and the same without the mistake. */
  readonly wrong: string;
  readonly right: string;
  /** Finds the mistakes in a workflow; with a folder, also those between its workflows. Never throws. */
  readonly check: (workflow: Workflow, folder?: Folder) => Iterable<Report>;
}

/** Findings reported of one text at most, and of one rule. */
export const MAX_FINDINGS = 200;

/** Returns the node at a path in a state; the state itself if there is none. */
export function nodeAt(state: StateView, path: string): Position & Partial<Node> {
  return select(state.node, path)[0]?.node ?? state;
}

/** The range of a name at a position, where quotes may stand around it; undefined if it is written in another way. */
export function rangeOf(
  { source }: Pick<Workflow, 'source'>,
  at: Position,
  name: string,
): { from: Position; to: Position } | undefined {
  const offset = source.offsetOf(at);
  const begin = [offset, offset + 1].find((one) => source.text.startsWith(name, one));
  if (begin === undefined || name === '') return undefined;
  return { from: source.at(begin), to: source.at(begin + name.length) };
}

/** The mend that replaces a name at a position; undefined if it is not written there as it is meant. */
export function replaceName(
  workflow: Workflow,
  at: Position,
  change: { readonly from: string; readonly to: string; readonly isCertain?: boolean },
): Mend | undefined {
  const range = rangeOf(workflow, at, change.from);
  if (range === undefined) return undefined;
  const title = `replace '${change.from}' by '${change.to}'`;
  return { title, edits: [{ ...range, text: change.to }], isCertain: change.isCertain === true };
}

/** A replacement of a part of a script, by offsets in its source. */
export interface ScriptChange {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A text as it is written between the quotes of a scalar; undefined if a scalar without quotes cannot contain it. */
function inQuotes({ source }: Workflow, script: Script, text: string): string | undefined {
  const quote = source.text[source.offsetOf(script.node)];
  if (quote === '"') return JSON.stringify(text).slice(1, -1);
  if (quote === "'") return text.replaceAll("'", "''");
  const isBlock = script.node.text.includes('\n') || quote === '|' || quote === '>';
  return !isBlock && /: |:$| #/.test(text) ? undefined : text;
}

function titleOf(source: string, { from, to, text }: ScriptChange): string {
  if (from === to) return `add '${text.trim()}'`;
  return text === '' ? `remove '${source.slice(from, to)}'` : `replace '${source.slice(from, to)}' by '${text.trim()}'`;
}

/** The mend that replaces parts of a script; undefined if a part is not written there literally. */
export function changeScript(
  workflow: Workflow,
  script: Script,
  changes: readonly ScriptChange[],
  title = changes.map((change) => titleOf(script.source, change)).join(', '),
): Mend | undefined {
  const { source } = workflow;
  const edits = changes.flatMap((change) => {
    const text = inQuotes(workflow, script, change.text);
    const begin = source.offsetOf(script.at(change.from));
    const written = inQuotes(workflow, script, script.source.slice(change.from, change.to));
    if (text === undefined || written === undefined || !source.text.startsWith(written, begin)) return [];
    return [{ from: source.at(begin), to: source.at(begin + written.length), text }];
  });
  return edits.length < changes.length ? undefined : { title, edits, isCertain: false };
}

/** The mend that replaces a part of a script; undefined if the part is not written there literally. */
export const replaceInScript = (workflow: Workflow, script: Script, change: ScriptChange): Mend | undefined =>
  changeScript(workflow, script, [change]);

/** The scripts of a state with the query that each is in. */
export function scriptsOf(state: StateView) {
  return state.queries.flatMap((query) =>
    query.texts.flatMap(({ scripts }) => scripts.map((script) => ({ script, query, state }))),
  );
}

/** The scripts of all states. */
export const allScripts = ({ states }: Workflow) => states.flatMap(scriptsOf);

/** The mend that adds a text behind the last element of a list in brackets, or before the closing bracket of a map. */
export function appendInside({ source }: Workflow, node: Position, text: string, title: string): Mend | undefined {
  const begin = source.offsetOf(node);
  const close = /^\[[^[\]{}\n]*(?=\])|^\{[^{}\n]*(?=\})/.exec(source.text.slice(begin))?.[0];
  if (close === undefined) return undefined;
  const at = source.at(begin + close.trimEnd().length);
  return { title, edits: [{ from: at, to: at, text: close.length > 1 ? `, ${text}` : text }], isCertain: false };
}

/** The mend that removes an element of a list which is alone in its lines; undefined if other things are there too. */
export function removeElement({ source }: Workflow, node: Position, title: string): Mend | undefined {
  const written = source.lineAt(node.line);
  if (!/^\s*- (?:\{.*\}\s*|[^{[]*)$/.test(written) || /^\s*- [^{]*:/.test(written)) return undefined;
  const [from, to] = [
    { line: node.line, column: 1 },
    { line: node.line + 1, column: 1 },
  ];
  return { title, edits: [{ from, to, text: '' }], isCertain: false };
}
