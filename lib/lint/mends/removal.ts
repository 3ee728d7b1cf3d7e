import type { MapNode, Node } from '../../language/yaml/parser.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';
import { lineEdit } from './fields.ts';

/**
 * The mend that removes an element of a list, and the field of the list with its last element; undefined if they are not
 * written in lines of their own or in one pair of brackets.
 */
export function removeFrom(workflow: Workflow, owner: MapNode, name: string, element: Node): Mend | undefined {
  const entry = owner.entries.get(name);
  if (entry?.node.kind !== 'list') return undefined;
  const { lineAt } = workflow.source;
  const isAlone = entry.node.items.length === 1;
  const field = lineAt(entry.line);
  const own = lineAt(element.line);
  const title = isAlone ? `remove '${name}'` : 'remove it';
  const isFieldLine = (text: string) => new RegExp(`^\\s*${name}:\\s*\\[[^\\[\\]]*\\]\\s*$`).test(text);
  if (isAlone && isFieldLine(field)) return { title, edits: [lineEdit(entry.line)], isCertain: false };
  const isItemLine = /^\s*- (?:\{.*\}\s*|[^{[:]*)$/.test(own) && element.line > entry.line;
  if (isAlone && isItemLine && new RegExp(`^\\s*${name}:\\s*$`).test(field))
    return { title, edits: [lineEdit(entry.line), lineEdit(element.line)], isCertain: false };
  if (isItemLine) return { title, edits: [lineEdit(element.line)], isCertain: false };
  return removeFromBrackets(workflow, entry.node.items, element);
}

/** Characters that are read behind an element and before it: the expressions take quadratic time on a run of blanks. */
const MAX_WRITTEN = 1000;

/** Removes an element between commas, if all elements are in one line. */
function removeFromBrackets({ source }: Workflow, items: readonly Node[], element: Node): Mend | undefined {
  const index = items.indexOf(element);
  const [before, next] = [items[index - 1], items[index + 1]];
  const begin = source.offsetOf(element);
  if (next !== undefined && next.line === element.line)
    return { title: 'remove it', edits: [{ from: element, to: next, text: '' }], isCertain: false };
  const rest = /^[^\n,[\]{}]*(?=\s*\])/.exec(source.text.slice(begin, begin + MAX_WRITTEN))?.[0];
  const comma = /,\s*$/.exec(source.text.slice(Math.max(0, begin - MAX_WRITTEN), begin))?.[0];
  if (before === undefined || rest === undefined || comma === undefined) return undefined;
  const [from, to] = [source.at(begin - comma.length), source.at(begin + rest.length)];
  return { title: 'remove it', edits: [{ from, to, text: '' }], isCertain: false };
}
