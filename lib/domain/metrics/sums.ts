/** Numbers by name, and nested sums by name. */
export interface Sums {
  readonly [name: string]: number | Sums;
}

const own = (sums: Sums, name: string): number | Sums | undefined =>
  Object.hasOwn(sums, name) ? sums[name] : undefined;

/** The number with this name; 0 if there is none. */
export function numberAt(sums: Sums, name: string): number {
  const found = own(sums, name);
  return typeof found === 'number' ? found : 0;
}

/** The nested sums with this name; empty if there are none. A name can be any text, also one of a user. */
export function sumsAt(sums: Sums, name: string): Sums {
  const found = own(sums, name);
  return typeof found === 'object' ? found : {};
}

function added(a: number | Sums | undefined, b: number | Sums, mayGrow: boolean): number | Sums {
  if (typeof b === 'number') return typeof a === 'number' ? a + b : b;
  return plus(typeof a === 'object' ? a : {}, b, mayGrow);
}

/** Adds sums name by name. If `mayGrow` is false, names that `a` does not have are left out. */
export function plus(a: Sums, b: Sums, mayGrow = true): Sums {
  const names = Object.entries(b).filter(([name]) => mayGrow || Object.hasOwn(a, name));
  // fromEntries and not assignments: a name can be `__proto__`.
  const sums = names.map(([name, value]) => [name, added(own(a, name), value, mayGrow)] as const);
  return Object.fromEntries([...Object.entries(a), ...sums]);
}

/** The increment of a counter by a row. */
export interface Increment {
  readonly counter: string;
  readonly sums: Sums;
  /** When the counter expires, seconds since 1970; absent: never. */
  readonly ttl?: number;
}

/** Adds up many sums, as `plus` does for two, without a copy for each. */
export class Total {
  // A map and not an object: a name can be `__proto__`.
  readonly #parts = new Map<string, number | Total>();

  add(sums: Sums): void {
    for (const name of Object.keys(sums)) {
      const value = sums[name] ?? 0;
      const before = this.#parts.get(name);
      if (typeof value === 'number') {
        this.#parts.set(name, typeof before === 'number' ? before + value : value);
        continue;
      }
      const nested = before instanceof Total ? before : new Total();
      if (nested !== before) this.#parts.set(name, nested);
      nested.add(value);
    }
  }

  get sums(): Sums {
    return Object.fromEntries(
      Array.from(this.#parts, ([name, part]) => [name, typeof part === 'number' ? part : part.sums]),
    );
  }
}
