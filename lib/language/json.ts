import { ExactNumber } from './json-numbers.ts';
import { ownMember } from './own-members.ts';

/** Values nested deeper than this are rejected with a RangeError; a cyclic value always is. */
export const MAX_DEPTH = 100_000;

/**
 * Formats a value as compact JSON in the form of Go's encoder, on which existing clients rely: keys sorted by bytes; `<`,
 * `>`, `&`, U+2028 and U+2029 escaped. NaN and the infinities become null; undefined members are left out. Throws
 * RangeError for a value nested deeper than MAX_DEPTH.
 */
export function toJson(value: unknown): string {
  return format(value, '');
}

/**
 * Formats as `toJson` does, indented by two spaces; an empty object or array is on one line. A value that is nested so
 * deeply that its indentation is larger than 16 Mi characters is not indented.
 */
export function toPrettyJson(value: unknown): string {
  return format(value, isIndentable(value) ? INDENT : '');
}

const INDENT = '  ';
const MAX_INDENTATION = 16 * 1024 * 1024;

/** Whether the indentation is small enough: it grows with the number of the members and with their depth. */
function isIndentable(root: unknown): boolean {
  let room = MAX_INDENTATION;
  let level = [root].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const container of level) {
      const members: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
      room -= members.length * depth * INDENT.length;
      if (room < 0) return false;
      for (const member of members) if (isContainer(member)) next.push(member);
    }
    level = next;
  }
  return true;
}

/** True for a JSON object: not for null, an array or an ExactNumber. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** Returns the object's own keys in the order of their UTF-8 bytes. */
export function sortedKeys(value: object): string[] {
  return sorted(Object.keys(value));
}

const sorted = (keys: string[]): string[] =>
  keys.some((key) => SURROGATE.test(key)) ? keys.sort(byCodePoint) : keys.sort();

/** Sets an own member; also for the key `__proto__`, by which an assignment would change the prototype. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** JSON.stringify is recursive and safe to this depth; deeper values are formatted with an explicit stack. */
const MAX_NATIVE_DEPTH = 500;

/** JSON.stringify is several times faster than own code, so it formats an ordered copy where there can be one. */
function format(value: unknown, indent: string): string {
  const ordered = inOrder(value, MAX_NATIVE_DEPTH);
  if (ordered === UNORDERABLE) return withEscapes(writeShallow(value, indent, 0) ?? write(value, indent));
  return withEscapes(JSON.stringify(ordered, undefined, indent) ?? 'null');
}

/** The result for a value that JSON.stringify cannot format, in whatever order its keys are. */
const UNORDERABLE = Symbol('unorderable');

/** The value itself if all its keys are in order, else a copy that shares the parts in which they are. */
function inOrder(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) {
    return Object.is(value, -0) || typeof value === 'bigint' ? UNORDERABLE : value;
  }
  if (depth === 0) return UNORDERABLE;
  return Array.isArray(value) ? listInOrder(value, depth) : membersInOrder(value as Record<string, unknown>, depth);
}

function listInOrder(list: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const member = list[index];
    const ordered = inOrder(member, depth - 1);
    if (ordered === UNORDERABLE) return UNORDERABLE;
    if (ordered === member) continue;
    copy ??= [...list];
    copy[index] = ordered;
  }
  return copy ?? list;
}

function membersInOrder(members: Readonly<Record<string, unknown>>, depth: number): unknown {
  const keys = Object.keys(members);
  const order = orderOf(keys);
  let copy: Record<string, unknown> | undefined = order === keys ? undefined : {};
  // The keys of a copy are in the order of their assignment, except array indexes.
  if (copy !== undefined && hasIndex) return UNORDERABLE;
  for (const key of order) {
    const member = members[key];
    const ordered = inOrder(member, depth - 1);
    if (ordered === UNORDERABLE) return UNORDERABLE;
    if (order === keys && ordered === member) continue;
    copy ??= { ...members };
    setMember(copy, key, ordered);
  }
  return copy ?? members;
}

const INDEX = /^\d+$/;

/** The keys that were ordered last, and their order: the objects of a list usually have the same keys. */
let [lastKeys, lastOrder]: [readonly string[], readonly string[]] = [[], []];
/** Whether one of them is an array index. */
let hasIndex = false;

/** Returns the keys in the order of their UTF-8 bytes: the same array if they are in order already. */
function orderOf(keys: readonly string[]): readonly string[] {
  if (!areSame(keys, lastKeys)) {
    lastKeys = keys;
    lastOrder = sorted([...keys]);
    hasIndex = keys.some((key) => INDEX.test(key));
  }
  return areSame(keys, lastOrder) ? keys : lastOrder;
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((key, index) => key === others[index]);

/** The text of a part that is nested no deeper than the call stack reaches, else undefined. Escapes are added later. */
function writeShallow(value: unknown, indent: string, depth: number): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (!isContainer(value)) return scalar(value);
  if (depth === MAX_NATIVE_DEPTH) return undefined;
  const parts: string[] = [];
  const isList = Array.isArray(value);
  if (isList) {
    for (const member of value) {
      const text = writeShallow(member, indent, depth + 1);
      if (text === undefined) return undefined;
      parts.push(text);
    }
  } else {
    const members = value as Record<string, unknown>;
    for (const key of sortedKeys(members)) {
      if (members[key] === undefined) continue;
      const text = writeShallow(members[key], indent, depth + 1);
      if (text === undefined) return undefined;
      parts.push(`${JSON.stringify(key)}${indent ? ': ' : ':'}${text}`);
    }
  }
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const line = lineBreak(indent, depth + 1);
  return `${open}${line}${parts.join(`,${line}`)}${lineBreak(indent, depth)}${close}`;
}

interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly members: Readonly<Record<string | number, unknown>>;
  readonly length: number;
  next: number;
}

// An explicit stack, because a document may be nested deeper than the call stack reaches.
function write(root: unknown, indent: string): string {
  const frames: Frame[] = [];
  let out = begin(root, frames);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.next === frame.length) {
      frames.pop();
      out += lineBreak(indent, frames.length) + (frame.keys ? '}' : ']');
      continue;
    }
    out += (frame.next > 0 ? ',' : '') + lineBreak(indent, frames.length);
    const key = frame.keys?.[frame.next];
    const member = frame.members[key ?? frame.next];
    frame.next += 1;
    if (key !== undefined) out += JSON.stringify(key) + (indent ? ': ' : ':');
    out += begin(member, frames);
  }
  return out;
}

/** Returns the text of a scalar or an empty container; else the opening bracket, and adds a frame for the members. */
function begin(value: unknown, frames: Frame[]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (!isContainer(value)) return scalar(value);
  if (frames.length >= MAX_DEPTH) throw new RangeError(`a value is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    frames.push({ keys: undefined, members: value as unknown as Frame['members'], length: value.length, next: 0 });
    return '[';
  }
  const members = value as Record<string, unknown>;
  const keys = sortedKeys(members).filter((key) => members[key] !== undefined);
  if (keys.length === 0) return '{}';
  frames.push({ keys, members, length: keys.length, next: 0 });
  return '{';
}

function lineBreak(indent: string, depth: number): string {
  return indent && `\n${indent.repeat(depth)}`;
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

function scalar(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? String(value) : 'null';
  return typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : 'null';
}

const SURROGATE = /[\ud800-\udfff]/;
const SPECIAL = /[<>&\u2028\u2029]|\\[bfu]/;
// An escape is matched as a whole, so that the `\\b` of `\\\\b` is not taken for a backspace.
const ESCAPE = /[<>&\u2028\u2029]|\\(?:u[0-9a-f]{4}|.)/g;
const ESCAPED: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
  '\\b': '\\u0008',
  '\\f': '\\u000c',
};

/** Adds the escapes of Go's encoder to JSON text; half a surrogate pair becomes the replacement character. */
function withEscapes(json: string): string {
  if (!SPECIAL.test(json)) return json;
  return json.replace(ESCAPE, (found) => ownMember(ESCAPED, found) ?? (found.startsWith('\\ud') ? '\ufffd' : found));
}

/** Orders by UTF-8 bytes, which is the order of code points; UTF-16 units order surrogates before U+E000 to U+FFFF. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
