import type { Position } from '../position.ts';

/** A JSON value; what a YAML node means. Aliased nodes share their value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A node of a document with the place where it is written; an alias stands where its anchor stands. */
export type Node = MapNode | ListNode | ScalarNode;

export interface MapNode extends Position {
  readonly kind: 'map';
  readonly value: { readonly [name: string]: Json };
  /** In the order written; entries that came by a merge key are last. */
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface ListNode extends Position {
  readonly kind: 'list';
  readonly value: readonly Json[];
  readonly items: readonly Node[];
}

export interface ScalarNode extends Position {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** Short tag, for example !!str. */
  readonly tag: string;
  /** As written, without quotes. */
  readonly text: string;
}

/** A key and what it holds; the place is the key's. */
export interface Entry extends Position {
  readonly key: string;
  readonly node: Node;
}

export function mapNode(entries: ReadonlyMap<string, Entry>, at: Position): MapNode {
  // fromEntries defines own properties, so a key `__proto__` is a key like any other.
  const value = Object.fromEntries([...entries.values()].map((entry) => [entry.key, entry.node.value]));
  return { kind: 'map', value, entries, line: at.line, column: at.column };
}

export function listNode(items: readonly Node[], at: Position): ListNode {
  return { kind: 'list', value: items.map((item) => item.value), items, line: at.line, column: at.column };
}

export function nullNode(at: Position): ScalarNode {
  return { kind: 'scalar', value: null, tag: '!!null', text: '', line: at.line, column: at.column };
}
