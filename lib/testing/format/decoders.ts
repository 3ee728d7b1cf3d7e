import { type Context, reportInvalid, reportUndecodable } from '../../compiler/decoding/context.ts';
import { createDecoder, type Decoder, type Field, reportWrongType } from '../../compiler/decoding/decoders.ts';
import type { Position } from '../../language/position.ts';
import { didYouMean } from '../../language/suggestions.ts';
import type { Json, Node } from '../../language/yaml/parser.ts';
import type { TestScope, TestVariables } from './suite.ts';

/** A value with the name under which it stands, and the place of the name. */
export interface Named<T> extends Position {
  readonly name: string;
  readonly value: T;
}

/** A function that decodes a node, without the description of the values that it accepts. */
type Decode<T> = (node: Node | undefined, field: Field, context: Context) => T;

/** A map with any keys, whose values are decoded alike; an absent one is empty. */
export function mapOf<T>(decode: Decode<T>): Decoder<readonly Named<T>[]> {
  return createDecoder({ kind: 'map' }, (node, field, context) => {
    if (node === undefined) return [];
    if (node.kind !== 'map') return reportWrongType(context, node, field, 'a map') ?? [];
    return [...node.entries.values()].map(({ key: name, line, column, node: inner }) => ({
      name,
      line,
      column,
      value: decode(inner, { name, line, column }, context),
    }));
  });
}

/** Any value. */
export const json = createDecoder({ kind: 'query' }, (node) => node?.value);

/** A map as an object. */
export const objectOf = <T>(named: readonly Named<T>[]): Readonly<Record<string, T>> =>
  Object.fromEntries(named.map(({ name, value }) => [name, value]));

/** The present instant of a text such as `2026-01-31T08:00:00Z`, milliseconds since 1970. */
export const instant = createDecoder({ kind: 'text' }, (node, field, context) => {
  if (node === undefined) return undefined;
  const text = node.kind === 'scalar' ? node.text : '';
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  reportInvalid(context, node, `${field.name} is not a time`, () => 'write it like 2026-01-31T08:00:00Z');
  return undefined;
});

const SCOPES: readonly TestScope[] = ['namespace', 'workflow', 'instance'];
const isScope = (name: string): name is TestScope => SCOPES.some((scope) => scope === name);

/** Variables by scope and name. */
export const variables: Decoder<TestVariables> = createDecoder({ kind: 'map' }, (node, field, context) => {
  const ofScope: Decode<readonly Named<Json | undefined>[]> = (values, scope, inner) =>
    isScope(scope.name) ? mapOf(json)(values, scope, inner) : [];
  const scopes = mapOf(ofScope)(node, field, context);
  for (const { name, ...at } of scopes) {
    if (isScope(name)) continue;
    const hint = (): string => didYouMean(name, SCOPES) ?? `write variables: {${SCOPES[0]}: {${name}: …}}`;
    reportUndecodable(context, at, `${field.name} has the scopes ${SCOPES.join(', ')}, not '${name}'`, hint);
  }
  return Object.fromEntries(
    scopes.map(({ name, value }) => [name, objectOf(value.map((one) => ({ ...one, value: one.value ?? null })))]),
  );
});

/** Decodes a value by the kind of its node. */
export function byKind<T>(
  decoders: Partial<Readonly<Record<Node['kind'], Decode<T>>>>,
  expected: string,
): Decoder<T | undefined> {
  return createDecoder({ kind: 'query' }, (node, field, context) => {
    if (node === undefined) return undefined;
    const decode = decoders[node.kind];
    return decode === undefined ? reportWrongType(context, node, field, expected) : decode(node, field, context);
  });
}
