/** So many keys of a text are not looked at, and so many different ones are not counted: they cost next to nothing. */
const FREE_KEYS = 1000;

/** Sets of the table of known keys, and the keys of a set. */
const SETS = 1 << 14;
const WAYS = 4;

/** The begin and the length of known keys, by a hash; the newest of a set is first. One text is read at a time. */
let table: Uint32Array | undefined;

function emptyTable(): Uint32Array {
  table ??= new Uint32Array(SETS * WAYS * 2);
  return table.fill(0);
}

const sameBytes = (text: Uint8Array, a: number, b: number, length: number): boolean => {
  for (let at = 0; at < length; at += 1) if (text[a + at] !== text[b + at]) return false;
  return true;
};

/**
 * Finds the keys of a JSON text that differ from those before. Reading such a key takes ten times as long as a known one:
 * it is stored and gives its object a shape of its own. Of a text with many keys that come again and again in another
 * order, some are found anew.
 */
export class NewKeys {
  readonly #text: Uint8Array;
  #seen = 0;
  #found = 0;
  #known: Uint32Array | undefined;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /** Whether the key from `begin` to `end` counts as a new one. */
  isNew(begin: number, end: number): boolean {
    this.#seen += 1;
    if (this.#seen <= FREE_KEYS || this.#knows(begin, end - begin)) return false;
    this.#found += 1;
    return this.#found > FREE_KEYS;
  }

  #knows(begin: number, length: number): boolean {
    const text = this.#text;
    this.#known ??= emptyTable();
    const known = this.#known;
    let hash = length;
    for (let at = 0; at < length; at += 1) hash = Math.imul(hash ^ (text[begin + at] ?? 0), 16_777_619);
    const set = ((hash ^ (hash >>> 15)) & (SETS - 1)) * WAYS * 2;
    for (let way = set; way < set + WAYS * 2; way += 2) {
      const other = known[way] ?? 0;
      if (other > 0 && known[way + 1] === length && sameBytes(text, other, begin, length)) return true;
    }
    for (let at = set + WAYS * 2 - 1; at > set + 1; at -= 1) known[at] = known[at - 2] ?? 0;
    known[set] = begin;
    known[set + 1] = length;
    return false;
  }
}
