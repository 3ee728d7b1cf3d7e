import type { ExactNumber } from '../json-numbers.ts';
import type { Position } from '../position.ts';

/** A JSON value: the meaning of a YAML node. An alias shares the value of its anchor. */
export type Json = string | number | ExactNumber | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A node of a document with its position; the node of an alias has the position of its anchor. */
export type Node = MapNode | ListNode | ScalarNode;

/** A YAML mapping. */
export interface MapNode extends Position {
  readonly kind: 'map';
  readonly value: { readonly [name: string]: Json };
  /** In the order written, then the entries of merge keys. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** A YAML sequence. */
export interface ListNode extends Position {
  readonly kind: 'list';
  readonly value: readonly Json[];
  readonly items: readonly Node[];
}

/** A YAML scalar. */
export interface ScalarNode extends Position {
  readonly kind: 'scalar';
  readonly value: string | number | ExactNumber | boolean | null;
  /** Short tag, for example !!str. */
  readonly tag: string;
  /** As written, without quotes. */
  readonly text: string;
}

/** A key and its node; the position is that of the key. */
export interface Entry extends Position {
  readonly key: string;
  readonly node: Node;
}

/** The text of a scalar that has a value; '' for any other node. A map may have a member `toString` that is no function. */
export const scalarText = (node: Node | undefined): string =>
  node?.kind === 'scalar' && node.value !== null ? String(node.value) : '';

/** Creates the node of a map with these entries, at the position of `at`. */
export function mapNode(entries: ReadonlyMap<string, Entry>, at: Position): MapNode {
  // fromEntries defines own properties, so a key `__proto__` is a key like any other.
  const value = Object.fromEntries([...entries.values()].map((entry) => [entry.key, entry.node.value]));
  return { kind: 'map', value, entries, line: at.line, column: at.column };
}

/** Creates the node of a list with these items, at the position of `at`. */
export function listNode(items: readonly Node[], at: Position): ListNode {
  return { kind: 'list', value: items.map((item) => item.value), items, line: at.line, column: at.column };
}

/** Creates a null node, at the position of `at`. */
export function nullNode(at: Position): ScalarNode {
  return { kind: 'scalar', value: null, tag: '!!null', text: '', line: at.line, column: at.column };
}
