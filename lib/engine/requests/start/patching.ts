import { isDeepStrictEqual } from 'node:util';
import { applyPatch, type Operation, Pointer } from 'rfc6902';
import { ServiceError } from '../../../domain/errors.ts';
import { isObject, toJson } from '../../../language/json.ts';
import { fromMarked, toMarked } from '../../../language/json-numbers.ts';
import { MAX_NODES } from '../../../language/json-size.ts';
import { dataProblem } from '../../evaluation/bounds.ts';

type Data = Record<string, unknown>;

/** The operations of one patch: each may shift the elements of a long list, on the thread that serves all requests. */
const MAX_OPERATIONS = 1000;

const malformed = (text: string): ServiceError => new ServiceError('malformed', text);

const isOperation = (one: unknown): one is Operation =>
  isObject(one) && typeof one['op'] === 'string' && typeof one['path'] === 'string';

/** The operations of a patch. Throws `malformed` for another element, and for more than one request may have. */
function operationsOf(patch: readonly unknown[]): readonly Operation[] {
  if (patch.length > MAX_OPERATIONS) {
    throw malformed(`the patch has ${patch.length} operations; at most ${MAX_OPERATIONS} are applied`);
  }
  const wrong = patch.findIndex((one) => !isOperation(one));
  if (wrong >= 0) throw malformed(`patch[${wrong}] is not an operation of RFC 6902: an object with op and path`);
  const problem = dataProblem(patch);
  if (problem !== undefined) throw malformed(`the patch is ${problem}; send less of it`);
  return toMarked(toJson(patch)) as readonly Operation[];
}

const INDEX = /^(?:0|[1-9]\d{0,8}|-)$/;

/** Names that every object has: the library leaves them out of a path instead of following it. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns the value at a pointer; undefined if there is none. Only elements of lists and own members of objects count:
 * the library would also set the length of a list. Throws Error for a text that is no pointer.
 */
function valueAt(data: unknown, pointer: unknown): unknown {
  if (typeof pointer !== 'string') throw new Error("'from' is no text");
  const [, ...tokens] = Pointer.fromJSON(pointer).tokens;
  return tokens.reduce((value, token) => {
    if (INHERITED.has(token)) throw new Error(`'${token}' cannot be changed`);
    if (Array.isArray(value) && !INDEX.test(token)) throw new Error(`'${token}' is no index of a list`);
    const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, token);
    return isOwn ? (value as Data)[token] : undefined;
  }, data);
}

/** How many values a part of the data has, counted up to a limit. */
function countValues(part: unknown, most: number): number {
  const left = [part];
  let count = 0;
  for (; left.length > 0 && count <= most; count += 1) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) left.push(member);
  }
  return count;
}

/** Applies operations one by one, with a limit for the nodes that they copy together. */
class Patching {
  readonly #data: Data;
  #copyable = MAX_NODES;

  constructor(data: Data) {
    this.#data = data;
  }

  /** Throws Error for an operation that cannot be applied. */
  apply(operation: Operation): void {
    const target = valueAt(this.#data, operation.path);
    if (operation.op === 'copy' || operation.op === 'move') this.#needSource(operation);
    if (operation.op === 'replace' && target === undefined) throw new Error(`nothing is at ${operation.path}`);
    // The library computes the difference, in a time that grows with the product of the lengths of two lists.
    const isEqual = operation.op !== 'test' || isDeepStrictEqual(target, operation.value);
    if (!isEqual) throw new Error('Test failed');
    const [failure] = operation.op === 'test' ? [] : applyPatch(this.#data, [operation]);
    if (failure !== null && failure !== undefined) throw failure;
  }

  /** Copies of copies would double the data with each operation. */
  #needSource({ op, from }: Extract<Operation, { readonly op: 'copy' | 'move' }>): void {
    const source = valueAt(this.#data, from);
    if (source === undefined) throw new Error(`nothing is at ${from}`);
    if (op === 'copy') this.#copyable -= countValues(source, this.#copyable);
    if (this.#copyable < 0) throw new Error(`the patch copies more than ${MAX_NODES} values`);
  }
}

/**
 * Returns the data after a patch (RFC 6902); the given data stays as it is. Throws `malformed` for a patch that cannot be
 * applied or exceeds a limit, and for data that would exceed the bounds of a run.
 */
export function patched(data: Data, patch: readonly unknown[]): Data {
  const operations = operationsOf(patch);
  if (operations.length === 0) return data;
  // The library copies plain values only.
  const copy = toMarked(toJson(data)) as Data;
  const patching = new Patching(copy);
  for (const [index, operation] of operations.entries()) {
    try {
      patching.apply(operation);
    } catch (error) {
      throw malformed(`patch[${index}] cannot be applied: ${(error as Error).message}`);
    }
  }
  const problem = dataProblem(copy);
  if (problem !== undefined) throw malformed(`the patched data is ${problem}; send less of it`);
  return fromMarked(copy) as Data;
}
