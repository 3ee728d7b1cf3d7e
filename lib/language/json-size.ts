import { NewKeys } from './json-keys.ts';

/** Bounds of a value's size. */
export interface Bounds {
  /** Arrays and objects inside each other. */
  readonly levels: number;
  /** Characters of its strings and keys, plus two for every other value. */
  readonly characters: number;
  /** Values: every array, object and scalar. */
  readonly nodes: number;
}

/**
 * The values that one JSON document of a user may have. Parsing and formatting it hold the thread, on which all requests
 * and runs are served, for about a third of a microsecond a value.
 */
export const MAX_NODES = 500_000;

/** The same in words, for messages. */
export const MOST_NODES = `${MAX_NODES} values, of which each different key of its objects counts as ten, and a list or object one more for each 64 that it is in`;

/** The measured size, in the units of `Bounds`; `unknown`: the values in it that are not in a part that is cached. */
type Extent = { -readonly [Unit in keyof Bounds]: number } & { unknown: number };

/** Sizes measured before. Values are never changed, and a part that many values share is measured once. */
const extents = new WeakMap<object, Extent>();

/**
 * A part is cached if it has so many values outside of parts that are cached: small parts are measured faster than they are
 * found, and of lists in each other only some are cached, since each entry of the cache costs the collection of garbage time.
 */
const MIN_CACHED_NODES = 100;

/** Returns the bound that the value exceeds; undefined if it exceeds none. The value must not be changed afterwards. */
export function exceededBound(value: unknown, bounds: Bounds): keyof Bounds | undefined {
  const { levels, characters, nodes } = extentOf(value, bounds.levels);
  if (levels > bounds.levels) return 'levels';
  if (nodes > bounds.nodes) return 'nodes';
  return characters > bounds.characters ? 'characters' : undefined;
}

/** Measures down to the allowed level. The size of a part that is deeper is incomplete, so it is not cached. */
function extentOf(value: unknown, allowed: number): Extent {
  const sum: Extent = { levels: 0, characters: 0, nodes: 0, unknown: 0 };
  measure(value, allowed, sum);
  return sum;
}

/** Adds the size of a value, whose levels are at most `allowed`, to the sum of its siblings. */
function measure(value: unknown, allowed: number, sum: Extent): void {
  sum.nodes += 1;
  sum.unknown += 1;
  sum.characters += 2;
  if (typeof value === 'string') sum.characters += value.length;
  if (typeof value !== 'object' || value === null) return;
  const inner = extents.get(value) ?? measureMembers(value, allowed);
  sum.levels = Math.max(sum.levels, inner.levels);
  sum.characters += inner.characters;
  sum.nodes += inner.nodes;
  sum.unknown += inner.unknown;
}

function measureMembers(value: object, allowed: number): Extent {
  const inner: Extent = { levels: 0, characters: 0, nodes: 0, unknown: 0 };
  if (allowed === 0) return { ...inner, levels: 1 };
  if (Array.isArray(value)) for (const member of value) measure(member, allowed - 1, inner);
  else {
    const members = value as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      inner.characters += key.length + 2;
      measure(members[key], allowed - 1, inner);
    }
  }
  inner.levels += 1;
  if (inner.levels > allowed || inner.unknown < MIN_CACHED_NODES) return inner;
  inner.unknown = 0;
  extents.set(value, inner);
  return inner;
}

/** A value that takes more than about a millisecond to parse or to format, in values. */
const LARGE_NODES = 20_000;
/** A string of so many characters takes about as long as a value. */
const CHARACTERS_A_NODE = 64;

/** Whether data takes more than about a millisecond to parse or to format. */
export function isLarge(value: unknown): boolean {
  const left = [value];
  let count = 0;
  for (; left.length > 0 && count <= LARGE_NODES; count += 1) {
    const next = left.pop();
    if (typeof next === 'string') count += next.length / CHARACTERS_A_NODE;
    if (typeof next !== 'object' || next === null) continue;
    const known = extents.get(next);
    count += known === undefined ? 0 : known.nodes + known.characters / CHARACTERS_A_NODE;
    if (known !== undefined) continue;
    const members = Array.isArray(next) ? next : Object.values(next);
    if (count + members.length > LARGE_NODES) return true;
    for (const member of members) left.push(member);
  }
  return count > LARGE_NODES;
}

const [COMMA, QUOTE, BACKSLASH, COLON, LIST, OBJECT, END_OF_LIST, END_OF_OBJECT] = Buffer.from(',"\\:[{]}');
const BLANKS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

/** To format a list or an object takes a step for each one that it is in, and so many steps take as long as a value. */
const LEVELS_A_NODE = 64;
/** A value of more levels is refused for them, by `exceededBound`. */
const MAX_LEVELS = 1024;

/** A key that no object before has costs as much as so many values. */
const NODES_A_KEY = 10;

/** The index of the quote after a string whose first character is at `at`, or that after the text. */
function endOfString(text: Uint8Array, at: number): number {
  const { length } = text;
  let end = at;
  while (end < length && text[end] !== QUOTE) end += text[end] === BACKSLASH ? 2 : 1;
  return end;
}

/**
 * Whether UTF-8 JSON text has more than `most` values, found without parsing it; an empty list or object counts as two, each
 * different key of its objects beyond the first thousand as ten, and a list or object within 64 others as two. A text that does not begin as a list or an object has not.
 */
export function hasMoreNodes(text: Uint8Array, most: number): boolean {
  let at = 0;
  while (BLANKS.has(text[at] ?? 0)) at += 1;
  if (text[at] !== LIST && text[at] !== OBJECT) return false;
  const keys = new NewKeys(text);
  let nodes = 1;
  let level = 0;
  let begin = 0;
  let end = 0;
  for (; at < text.length && nodes <= most; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      begin = at + 1;
      end = endOfString(text, begin);
      at = end;
    } else if (byte === COMMA) nodes += 1;
    else if (byte === LIST || byte === OBJECT) {
      nodes += 1 + (level > MAX_LEVELS ? 0 : Math.floor(level / LEVELS_A_NODE));
      level += 1;
    } else if (byte === END_OF_LIST || byte === END_OF_OBJECT) level -= 1;
    else if (byte === COLON && keys.isNew(begin, end)) nodes += NODES_A_KEY;
  }
  return nodes > most;
}
