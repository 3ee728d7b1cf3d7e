/** Numbers under names, and below those more of them. */
export interface Sums {
  readonly [name: string]: number | Sums;
}

const own = (sums: Sums, name: string): number | Sums | undefined =>
  Object.hasOwn(sums, name) ? sums[name] : undefined;

/** The number under a name; 0 where there is none. */
export function numberAt(sums: Sums, name: string): number {
  const found = own(sums, name);
  return typeof found === 'number' ? found : 0;
}

/** What lies under a name; nothing where there is nothing. Names may be any text, of users too. */
export function sumsAt(sums: Sums, name: string): Sums {
  const found = own(sums, name);
  return typeof found === 'object' ? found : {};
}

function added(a: number | Sums | undefined, b: number | Sums, mayGrow: boolean): number | Sums {
  if (typeof b === 'number') return typeof a === 'number' ? a + b : b;
  return plus(typeof a === 'object' ? a : {}, b, mayGrow);
}

/** The sum of both, name by name. `mayGrow` false: names that `a` has not are left out. */
export function plus(a: Sums, b: Sums, mayGrow = true): Sums {
  const names = Object.entries(b).filter(([name]) => mayGrow || Object.hasOwn(a, name));
  // An object literal would take some names for something else.
  const sums = names.map(([name, value]) => [name, added(own(a, name), value, mayGrow)] as const);
  return Object.fromEntries([...Object.entries(a), ...sums]);
}
