/** One line of JSON as a tree shows it. */
export interface JsonRow {
  /** The path of the value in jq. */
  readonly path: string;
  readonly depth: number;
  readonly name: string | undefined;
  readonly value: unknown;
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'more' | 'text';
  /** Entries of an object or array, lines of a text. */
  readonly size: number;
  readonly isOpen: boolean;
}

/** The number of entries that are shown at first, and added each time. */
export const CHUNK = 200;
const LONG_TEXT = 100;

const isPlainName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** The jq path of an entry. */
export function pathTo(parent: string, name: string | number): string {
  if (typeof name === 'number') return `${parent === '.' ? '.' : parent}[${name}]`;
  const base = parent === '.' ? '' : parent;
  return isPlainName(name) ? `${base}.${name}` : `${parent}[${JSON.stringify(name)}]`;
}

function kindOf(value: unknown): JsonRow['kind'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Number) return 'number';
  return typeof value as JsonRow['kind'];
}

type Entry = readonly [string | number, unknown];

function entriesOf(value: unknown): readonly Entry[] {
  if (Array.isArray(value)) return value.map((one, index) => [index, one]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

const isLong = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > LONG_TEXT || value.includes('\n'));

/** How a tree is shown: whether the value at a path is open, and how many of its entries or lines are shown. */
export interface JsonState {
  readonly isOpen: (path: string, depth: number) => boolean;
  readonly shown: (path: string) => number;
}

interface Spot {
  readonly path: string;
  readonly depth: number;
  readonly name: string | undefined;
}

const ROOT: Spot = { path: '.', depth: 0, name: undefined };

/** The row that shows more of a value; its `value` is the number of remaining entries or lines. */
const restOf = (path: string, depth: number, value: number): JsonRow => ({
  path,
  depth: depth + 1,
  name: undefined,
  value,
  kind: 'more',
  size: 0,
  isOpen: false,
});

/** The rows of a value, in order; a closed value has one. */
export function* rowsOf(value: unknown, state: JsonState, spot = ROOT): Generator<JsonRow> {
  const { path, depth, name } = spot;
  const kind = kindOf(value);
  const entries = entriesOf(value);
  const size = isLong(value) ? value.split('\n').length : entries.length;
  const canOpen = entries.length > 0 || isLong(value);
  const isOpen =
    canOpen &&
    (depth === 0 || (isLong(value) ? state.isOpen(path, Number.POSITIVE_INFINITY) : state.isOpen(path, depth)));
  yield { path, depth, name, value, kind, size, isOpen };
  if (!isOpen) return;
  const most = state.shown(path);
  if (isLong(value)) {
    const lines = value.split('\n');
    for (const text of lines.slice(0, most)) {
      yield {
        path: `${path} text`,
        depth: depth + 1,
        name: undefined,
        value: text,
        kind: 'text',
        size: 0,
        isOpen: false,
      };
    }
    if (lines.length > most) yield restOf(path, depth, lines.length - most);
    return;
  }
  for (const [key, one] of entries.slice(0, most)) {
    yield* rowsOf(one, state, { path: pathTo(path, key), depth: depth + 1, name: String(key) });
  }
  if (entries.length > most) yield restOf(path, depth, entries.length - most);
}

/** Paths of all names and values that contain a text, and of the objects and lists around them. */
export function pathsWith(value: unknown, term: string, path = '.', name = ''): Set<string> {
  const found = new Set<string>();
  const hasTerm = (text: string): boolean => text.toLowerCase().includes(term.toLowerCase());
  for (const [key, one] of entriesOf(value)) {
    for (const inner of pathsWith(one, term, pathTo(path, key), String(key))) found.add(inner);
  }
  const isScalar = typeof value !== 'object' || value === null || value instanceof Number;
  if (hasTerm(name) || (isScalar && hasTerm(String(value)))) found.add(path);
  if (found.size > 0) found.add(path);
  return found;
}
