import { isNumber } from '../../language/json-numbers.ts';
import type { Position } from '../../language/position.ts';
import { didYouMean } from '../../language/suggestions.ts';
import type { Json, Node } from '../../language/yaml/parser.ts';
import { isDuration } from '../../time/durations.ts';
import { type Accepted, withoutValidation } from './accepted.ts';
import { type Context, reportInvalid, reportUndecodable } from './context.ts';
import { exampleHint } from './examples.ts';

/** A field by its name, with the position for messages: that of its key, or that of the map without the field. */
export interface Field extends Position {
  readonly name: string;
}

/**
 * Decodes the value of a field and reports its problems to the context. The node is undefined for a field that is absent
 * or null, which has the same meaning (workflow-language 1.2) except where words are listed. A decoder never throws; the
 * value that it returns is used only if no problem was reported.
 */
export interface Decoder<T> {
  (node: Node | undefined, field: Field, context: Context): T;
  readonly accepts: Accepted;
}

/** Makes a decoder of a function and the description of what it accepts. */
export function createDecoder<T>(
  accepts: Accepted,
  decode: (node: Node | undefined, field: Field, context: Context) => T,
): Decoder<T> {
  return Object.assign(decode, { accepts });
}

function describe(node: Node): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string'
    ? 'text'
    : `the ${isNumber(node.value) ? 'number' : typeof node.value} ${node.value}`;
}

/** Reports a field that has a value of the wrong type; `expected` is the right one, for example `a list`. */
export function reportWrongType(context: Context, node: Node, field: Field, expected: string): undefined {
  const text = `field "${field.name}" must be ${expected}, not ${describe(node)}`;
  reportUndecodable(context, node, text, () => quoteHint(node, expected) ?? exampleHint(field.name));
}

function quoteHint(node: Node, expected: string): string | undefined {
  const isUnquoted = node.kind === 'scalar' && typeof node.value !== 'string' && node.value !== null;
  return isUnquoted && expected === 'text' ? 'put the value in quotes' : undefined;
}

function scalar<T extends string | number | boolean>(
  kind: 'text' | 'flag' | 'number' | 'integer',
  expected: string,
  is: (value: Json) => value is T,
): Decoder<T | undefined> {
  return createDecoder({ kind }, (node, field, context) => {
    if (node === undefined) return undefined;
    return is(node.value) ? node.value : reportWrongType(context, node, field, expected);
  });
}

/** Text, which may be empty. */
export const anyText = scalar('text', 'text', (value) => typeof value === 'string');

/** `true` or `false`. */
export const flag = scalar('flag', 'true or false', (value) => typeof value === 'boolean');

/** Any number; the nearest double of one that a double would change. */
export const number = createDecoder({ kind: 'number' }, (node, field, context): number | undefined => {
  if (node === undefined || isNumber(node.value)) return node && Number(node.value);
  return reportWrongType(context, node, field, 'a number');
});

/** A whole number. */
export const integer = scalar('integer', 'a whole number', (value): value is number => Number.isSafeInteger(value));

/** A whole number of at least 1. */
export const positive = createDecoder({ kind: 'integer', minimum: 1 }, (node, field, context) => {
  const value = integer(node, field, context);
  if (value === undefined || value >= 1) return value;
  reportInvalid(context, node ?? field, `${field.name} must be at least 1`);
  return undefined;
});

/** Text; empty text counts as absent. */
export const text = createDecoder(
  { kind: 'text' },
  (node, field, context) => anyText(node, field, context) || undefined,
);

/** A structured query, which may be any value (workflow-language 5). */
export const query = createDecoder<unknown>({ kind: 'query' }, (node) => node?.value);

/** An ISO 8601 duration, as written (workflow-language 1.6). */
export const duration = createDecoder({ kind: 'duration' }, (node, field, context): string | undefined => {
  const value = text(node, field, context);
  if (value === undefined || isDuration(value)) return value;
  const hint = () => 'write it like PT30S, PT15M or P1DT12H';
  reportInvalid(context, node ?? field, `${field.name} is not a ISO8601 string`, hint);
  return undefined;
});

/** One of a few words. The original decodes null as the empty text, which is none of them. */
export function oneOf<T extends string>(words: readonly [T, ...T[]]): Decoder<T | undefined> {
  return createDecoder({ kind: 'words', words }, (node, field, context) => {
    const value = node?.value === null ? '' : anyText(node, field, context);
    const known = words.find((word) => word === value);
    if (value === undefined || node === undefined || known !== undefined) return known;
    const rule = `must be one of [${words.join(' ')}]`;
    reportUndecodable(
      context,
      node,
      value === '' ? `${field.name} ${rule}` : `unknown ${field.name} '${value}' (${rule})`,
      () => didYouMean(value, words) ?? exampleHint(field.name),
    );
    return undefined;
  });
}

/** The id of the next state. `check` reports an id that no state has. */
export const transition = createDecoder({ kind: 'state' }, (node, field, context): string | undefined => {
  const name = text(node, field, context);
  const { line, column } = node ?? field;
  if (name !== undefined) context.transitions.push({ field: context.listField ?? field.name, name, line, column });
  return name;
});

/** A value whose transitions are those of the field with this name in the messages of `check`. */
export function transitionsOf<T>(name: string, decode: Decoder<T>): Decoder<T> {
  return createDecoder(decode.accepts, (node, field, context) => decode(node, field, { ...context, listField: name }));
}

/** A map with any keys and values; an absent one is empty. */
export const dictionary: Decoder<Readonly<Record<string, unknown>>> = createDecoder(
  { kind: 'map' },
  (node, field, context) => {
    if (node === undefined) return {};
    if (node.kind === 'map') return node.value;
    reportWrongType(context, node, field, 'a map');
    return {};
  },
);

/** A value that must be present and not empty; an empty list is a value of a query. */
export function required<T>(decode: Decoder<T>): Decoder<NonNullable<T>> {
  const isList = decode.accepts.kind === 'list';
  return createDecoder({ ...decode.accepts, isRequired: true }, (node, field, context) => {
    const value = decode(node, field, context);
    const isEmpty = value === undefined || value === '' || (isList && (value as readonly unknown[]).length === 0);
    // For any other node without a value, the decoder itself has reported a problem.
    if (isEmpty && (node === undefined || isEmptyNode(node))) reportInvalid(context, field, `${field.name} required`);
    return value as NonNullable<T>;
  });
}

function isEmptyNode(node: Node): boolean {
  return node.value === '' || (node.kind === 'list' && node.items.length === 0);
}

/** A value whose type is checked but not its content: the original checks it at run time only (workflow-language 1.7). */
export function unvalidated<T>(decode: Decoder<T>): Decoder<T> {
  return createDecoder(withoutValidation(decode.accepts), (node, field, context) =>
    decode(node, field, { ...context, invalid: [] }),
  );
}

/** How messages name the elements of a list. */
export interface ElementNames {
  /** `conditions` makes messages begin with `conditions[0] is invalid: `; default: no prefix. */
  readonly prefix?: string;
  /** `errors` makes `errors[0]` the field of a transition in the first element. */
  readonly field?: string;
}

/** The most elements of a list of the language, such as the conditions of a `switch`. */
export const MAX_ELEMENTS = 1000;

/** A list; an absent one is empty. */
export function list<T>(decode: Decoder<T>, { prefix, field: listField }: ElementNames = {}): Decoder<readonly T[]> {
  return createDecoder({ kind: 'list', of: decode.accepts }, (node, field, context) => {
    if (node === undefined) return [];
    if (node.kind !== 'list') return reportWrongType(context, node, field, 'a list') ?? [];
    if (node.items.length > MAX_ELEMENTS) {
      const text = `field "${field.name}" has ${node.items.length} elements, and ${MAX_ELEMENTS} are allowed`;
      reportUndecodable(context, node, text, () => 'divide the list between several states or subflows');
      return [];
    }
    return node.items.map((item, index) => {
      const path = prefix === undefined ? context.path : `${context.path}${prefix}[${index}] is invalid: `;
      const inner =
        listField === undefined ? { ...context, path } : { ...context, path, listField: `${listField}[${index}]` };
      return decode(item, { name: `${field.name}[${index}]`, line: item.line, column: item.column }, inner);
    });
  });
}

/** A value whose messages begin with `<field> is invalid: `. */
export function prefixed<T>(decode: Decoder<T>): Decoder<T> {
  return createDecoder(decode.accepts, (node, field, context) =>
    decode(node, field, { ...context, path: `${context.path}${field.name} is invalid: ` }),
  );
}
