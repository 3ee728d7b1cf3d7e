/**
 * The member of an object under a name that another chose: a key of a workflow, a header, a word on the command line.
 * Undefined where the object has no own member of that name; `object[name]` would find what every object inherits, such
 * as `toString` and `constructor`.
 */
export function ownMember<T>(object: { readonly [name: string]: T } | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A text as it is, any other value as JSON, '' for undefined. `String(value)` would call a member `toString` of a map. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
