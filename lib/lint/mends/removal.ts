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
  const lines = workflow.source.text.split('\n');
  const isAlone = entry.node.items.length === 1;
  const field = lines[entry.line - 1] ?? '';
  const own = lines[element.line - 1] ?? '';
  const title = isAlone ? `remove '${name}'` : 'remove it';
  const isFieldLine = (text: string) => new RegExp(`^\\s*${name}:\\s*\\[[^\\[\\]]*\\]\\s*$`).test(text);
  if (isAlone && isFieldLine(field)) return { title, edits: [lineEdit(entry.line)], isCertain: false };
  const isItemLine = /^\s*- (?:\{.*\}|[^{[:]*)\s*$/.test(own) && element.line > entry.line;
  if (isAlone && isItemLine && new RegExp(`^\\s*${name}:\\s*$`).test(field))
    return { title, edits: [lineEdit(entry.line), lineEdit(element.line)], isCertain: false };
  if (isItemLine) return { title, edits: [lineEdit(element.line)], isCertain: false };
  return removeFromBrackets(workflow, entry.node.items, element);
}

/** Removes an element between commas, if all elements are in one line. */
function removeFromBrackets({ source }: Workflow, items: readonly Node[], element: Node): Mend | undefined {
  const index = items.indexOf(element);
  const [before, next] = [items[index - 1], items[index + 1]];
  const begin = source.offsetOf(element);
  if (next !== undefined && next.line === element.line)
    return { title: 'remove it', edits: [{ from: element, to: next, text: '' }], isCertain: false };
  const rest = /^[^\n,[\]{}]*(?=\s*\])/.exec(source.text.slice(begin))?.[0];
  const comma = /,\s*$/.exec(source.text.slice(0, begin))?.[0];
  if (before === undefined || rest === undefined || comma === undefined) return undefined;
  const [from, to] = [source.at(begin - comma.length), source.at(begin + rest.length)];
  return { title: 'remove it', edits: [{ from, to, text: '' }], isCertain: false };
}
