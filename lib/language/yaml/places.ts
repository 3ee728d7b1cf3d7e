import { createSourceText, type Position } from '../position.ts';
import type { Node } from './parser.ts';
import { parseYaml } from './parser.ts';

/** The state with an id in the root of a workflow. */
function stateNode(root: Node, id: string): Node | undefined {
  const states = root.kind === 'map' ? root.entries.get('states')?.node : undefined;
  if (states?.kind !== 'list') return undefined;
  return states.items.find((item) => item.kind === 'map' && item.entries.get('id')?.node.value === id);
}

/** The first scalar below a node whose text has the property. */
function scalarWith(node: Node, has: (text: string) => boolean): Node | undefined {
  if (node.kind === 'scalar') return has(String(node.value)) ? node : undefined;
  const children = node.kind === 'list' ? node.items : [...node.entries.values()].map((entry) => entry.node);
  for (const child of children) {
    const found = scalarWith(child, has);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The text that was parsed last: a state of a loop may fail many times. */
let parsed: { readonly source: string; readonly root: Node | undefined } | undefined;

function rootOf(source: string): Node | undefined {
  if (parsed?.source !== source) {
    const result = parseYaml(source);
    parsed = { source, root: 'root' in result ? result.root : undefined };
  }
  return parsed.root;
}

/** Longer texts are searched and not parsed, which takes longer than a turn: every failure of a state asks for a place. */
const MAX_PARSED = 16_384;

const ID = /(?<![\w-])["']?id["']?[ \t]*:[ \t]*["']?/g;

/** As `placeOf`, by the text alone: the place behind the id of the state where its expression is written. */
function placeInLarge(source: string, state: string, expression: string): Position | undefined {
  const found = [...source.matchAll(ID)].map(({ index, 0: written }) => ({ index, value: index + written.length }));
  const isState = ({ value }: { readonly value: number }) =>
    source.startsWith(state, value) &&
    /^["']?(?:[\s,}]|$)/.test(source.slice(value + state.length, value + state.length + 2));
  const own = found.findIndex(isState);
  const [begin, next] = [found[own], found[own + 1]];
  if (begin === undefined) return undefined;
  const [line = ''] = expression.split('\n');
  const at = line === '' ? -1 : source.slice(begin.index, next?.index).indexOf(line);
  return createSourceText(source).at(begin.index + Math.max(0, at));
}

/**
 * Returns the place of an expression of a state in the source of a workflow; that of the state where the expression is not
 * found, and undefined where the state is not.
 */
export function placeOf(source: string, state: string, expression: string): Position | undefined {
  if (source.length > MAX_PARSED) return placeInLarge(source, state, expression);
  const root = rootOf(source);
  const node = root === undefined ? undefined : stateNode(root, state);
  if (node === undefined) return undefined;
  const found =
    expression === ''
      ? undefined
      : (scalarWith(node, (text) => text.trim() === expression) ??
        scalarWith(node, (text) => text.includes(expression)));
  const { line, column } = found ?? node;
  return { line, column };
}
