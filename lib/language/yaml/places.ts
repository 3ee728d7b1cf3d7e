import type { Position } from '../position.ts';
import type { Node } from './parser.ts';
import { parseYaml } from './parser.ts';

/** The state with an id in the root of a workflow. */
function stateNode(root: Node, id: string): Node | undefined {
  const states = root.kind === 'map' ? root.entries.get('states')?.node : undefined;
  if (states?.kind !== 'list') return undefined;
  return states.items.find((item) => item.kind === 'map' && item.entries.get('id')?.node.value === id);
}

/** The first scalar below a node with this text. */
function scalarWith(node: Node, text: string): Node | undefined {
  if (node.kind === 'scalar') return String(node.value).trim() === text ? node : undefined;
  const children = node.kind === 'list' ? node.items : [...node.entries.values()].map((entry) => entry.node);
  for (const child of children) {
    const found = scalarWith(child, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the place of an expression of a state in the source of a workflow; that of the state where the expression is not
 * found, and undefined where the state is not.
 */
export function placeOf(source: string, state: string, expression: string): Position | undefined {
  const parsed = parseYaml(source);
  const node = 'root' in parsed ? stateNode(parsed.root, state) : undefined;
  if (node === undefined) return undefined;
  const { line, column } = scalarWith(node, expression) ?? node;
  return { line, column };
}
