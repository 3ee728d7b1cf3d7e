type KeysOfUndefined<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** The type `T`, in which a member that may be undefined is a member that may be absent. */
export type OmitUndefined<T> = Omit<T, KeysOfUndefined<T>> & {
  [K in KeysOfUndefined<T>]?: Exclude<T[K], undefined>;
};

/**
 * Returns a copy of the object without the members whose value is undefined, at the top level only. Stored JSON and
 * `exactOptionalPropertyTypes` both distinguish an absent member from an undefined one.
 */
export function omitUndefined<T extends object>(members: T): OmitUndefined<T> {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as OmitUndefined<T>;
}
