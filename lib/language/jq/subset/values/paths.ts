import { setMember } from '../../../json.ts';
import { isObject, typeError } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { copyObject, type JsonObject, memberAt, orderedKeys } from './members.ts';
import { compare } from './order.ts';
import { countSteps } from './run.ts';

/** A key of an object or an index of an array. */
export type Key = string | number;

/** A path into a document, and the value there. */
export interface Path {
  readonly keys: readonly Key[];
  readonly value: unknown;
}

/** How many elements an assignment may add before the one that it sets. */
const MAX_GAP = 1000;

/** Returns the path extended by `[key]`. Throws as `memberAt` does, and UnknownOutcomeError for a path into a text. */
export function pathTo({ keys, value }: Path, key: unknown): Path {
  if (typeof value === 'string' && typeof key === 'number') throw new UnknownOutcomeError();
  const inner = memberAt(value, key);
  return { keys: [...keys, key as Key], value: inner };
}

/** Returns the path extended by `[]`, for each member. Throws JqError for a value without members. */
export function memberPaths({ keys, value }: Path): Path[] {
  if (Array.isArray(value)) {
    countSteps(value.length * (keys.length + 1));
    return value.map((member, at) => ({ keys: [...keys, at], value: member }));
  }
  if (!isObject(value)) throw typeError(value);
  return orderedKeys(value).map((key) => ({ keys: [...keys, key], value: value[key] }));
}

/**
 * A changed copy of a document. The original is never changed; each array and object on the way to a change is copied
 * once. The methods throw UnknownOutcomeError for a change that jq would reject or make in another way.
 */
export class CopyOnWrite {
  readonly #own = new Set<object>();
  #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** The document with all changes. */
  get root(): unknown {
    return this.#root;
  }

  /** Returns the value at a path. Throws as `memberAt` does. */
  get(keys: readonly Key[]): unknown {
    return keys.reduce<unknown>(memberAt, this.#root);
  }

  /** Sets the value at a path and makes the objects and arrays that are missing on the way. */
  set(keys: readonly Key[], value: unknown): void {
    this.#root = this.#set(this.#root, keys, 0, value);
  }

  /** Deletes the members at the paths, the last ones first, so that no deletion moves a later one. */
  delete(paths: readonly (readonly Key[])[]): void {
    const ordered = [...paths].sort((left, right) => compare(right, left));
    for (const [at, keys] of ordered.entries())
      if (at === 0 || compare(keys, ordered[at - 1]) !== 0) this.#root = this.#delete(this.#root, keys, 0);
  }

  #set(value: unknown, keys: readonly Key[], depth: number, to: unknown): unknown {
    const key = keys[depth];
    if (key === undefined) return to;
    countSteps();
    if (typeof key === 'string') {
      const object = this.#object(value);
      setMember(object, key, this.#set(memberAt(object, key), keys, depth + 1, to));
      return object;
    }
    const array = this.#array(value);
    const index = key < 0 ? array.length + key : key;
    if (index < 0 || index > array.length + MAX_GAP) throw new UnknownOutcomeError();
    while (array.length < index) array.push(null);
    array[index] = this.#set(array[index] ?? null, keys, depth + 1, to);
    return array;
  }

  #delete(value: unknown, keys: readonly Key[], depth: number): unknown {
    const key = keys[depth];
    if (key === undefined || value === null) return null;
    countSteps();
    const isLast = depth === keys.length - 1;
    const inner = memberAt(value, key);
    if (!isLast) return inner === null ? value : this.#set(value, [key], 0, this.#delete(inner, keys, depth + 1));
    if (typeof key === 'string') {
      const object = this.#object(value);
      delete object[key];
      return object;
    }
    if (key < 0) throw new UnknownOutcomeError();
    const array = this.#array(value);
    array.splice(key, 1);
    return array;
  }

  #object(value: unknown): JsonObject {
    if (value !== null && !isObject(value)) throw new UnknownOutcomeError();
    return this.#owned(value, () => copyObject(value ?? {}));
  }

  #array(value: unknown): unknown[] {
    if (value !== null && !Array.isArray(value)) throw new UnknownOutcomeError();
    countSteps(value?.length ?? 0);
    return this.#owned(value, () => [...(value ?? [])]);
  }

  #owned<T extends object>(value: T | null, copy: () => T): T {
    if (value !== null && this.#own.has(value)) return value;
    const copied = copy();
    this.#own.add(copied);
    return copied;
  }
}
