import { isObject, setMember } from '../../../json.ts';
import { compare } from './order.ts';
import { JqError, spend, UnknownOutcomeError } from './run.ts';
import { copyObject, index, type Json, keysOf } from './values.ts';

export type Key = string | number;

/** A part of a document: the way to it and what stands there. */
export interface Place {
  readonly keys: readonly Key[];
  readonly value: unknown;
}

/** How far behind its end a list may grow. */
const FARTHEST = 1000;

/** `place.value[key]` as a place. */
export function placeAt({ keys, value }: Place, key: unknown): Place {
  const inner = index(value, key);
  return { keys: [...keys, key as Key], value: inner };
}

/** The places of `.[]`. */
export function placesIn(place: Place): Place[] {
  const { keys, value } = place;
  if (Array.isArray(value)) {
    spend(value.length * (keys.length + 1));
    return value.map((member, at) => ({ keys: [...keys, at], value: member }));
  }
  if (!isObject(value)) throw new JqError();
  return keysOf(value).map((key) => ({ keys: [...keys, key], value: value[key] }));
}

/** A document being changed: the original stays as it is, and each of its parts is copied at most once. */
export class Draft {
  readonly #own = new Set<object>();
  #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  get root(): unknown {
    return this.#root;
  }

  get(keys: readonly Key[]): unknown {
    return keys.reduce<unknown>(index, this.#root);
  }

  /** Makes the objects and lists that are missing on the way. */
  set(keys: readonly Key[], value: unknown): void {
    this.#root = this.#set(this.#root, keys, 0, value);
  }

  /** Removes the places, the last ones first, so that none is moved before its turn. */
  remove(places: readonly (readonly Key[])[]): void {
    const ordered = [...places].sort((left, right) => compare(right, left));
    for (const [at, keys] of ordered.entries())
      if (at === 0 || compare(keys, ordered[at - 1]) !== 0) this.#root = this.#remove(this.#root, keys, 0);
  }

  #set(value: unknown, keys: readonly Key[], depth: number, to: unknown): unknown {
    const key = keys[depth];
    if (key === undefined) return to;
    spend();
    if (typeof key === 'string') {
      const object = this.#object(value);
      setMember(object, key, this.#set(index(object, key), keys, depth + 1, to));
      return object;
    }
    const list = this.#list(value);
    const at = key < 0 ? list.length + key : key;
    if (at < 0 || at > list.length + FARTHEST) throw new UnknownOutcomeError();
    while (list.length < at) list.push(null);
    list[at] = this.#set(list[at] ?? null, keys, depth + 1, to);
    return list;
  }

  #remove(value: unknown, keys: readonly Key[], depth: number): unknown {
    const key = keys[depth];
    if (key === undefined || value === null) return null;
    spend();
    const isLast = depth === keys.length - 1;
    const inner = index(value, key);
    if (!isLast) return inner === null ? value : this.#set(value, [key], 0, this.#remove(inner, keys, depth + 1));
    if (typeof key === 'string') {
      const object = this.#object(value);
      delete object[key];
      return object;
    }
    if (key < 0) throw new UnknownOutcomeError();
    const list = this.#list(value);
    list.splice(key, 1);
    return list;
  }

  #object(value: unknown): Json {
    if (value !== null && !isObject(value)) throw new UnknownOutcomeError();
    return this.#owned(value, () => copyObject(value ?? {}));
  }

  #list(value: unknown): unknown[] {
    if (value !== null && !Array.isArray(value)) throw new UnknownOutcomeError();
    spend(value?.length ?? 0);
    return this.#owned(value, () => [...(value ?? [])]);
  }

  #owned<T extends object>(value: T | null, copy: () => T): T {
    if (value !== null && this.#own.has(value)) return value;
    const copied = copy();
    this.#own.add(copied);
    return copied;
  }
}
