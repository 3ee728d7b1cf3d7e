import { addProblem } from '../../language/problem.ts';
import { didYouMean } from '../../language/suggestions.ts';
import type { MapNode, Node } from '../../language/yaml/parser.ts';
import type { AcceptedFields } from './accepted.ts';
import type { Context } from './context.ts';
import { text } from './decoders.ts';
import { acceptedFields, decodeFields, type Fields } from './object.ts';

/** A variant of a union whose `type` field selects it: a type of states, functions or starts. */
export interface Variant<Lowered> {
  /** Its name in the plan, then the other names that it has in the language. */
  readonly names: readonly string[];
  /** The values that its fields beside `type` accept. */
  readonly fields: AcceptedFields;
  /** Decodes a map, and returns the function that makes its plan. It may be called only if there are no problems. */
  readonly decode: (node: MapNode, context: Context) => () => Lowered;
}

/** Defines a variant by its names, its fields, and the function from the decoded fields to the plan. */
export function defineVariant<Values extends object, Lowered>(
  names: readonly string[],
  fields: Fields,
  lower: (values: Values) => Lowered,
): Variant<Lowered> {
  const all = { type: text, ...fields };
  return {
    names,
    fields: acceptedFields(fields),
    decode: (node, context) => {
      const values = decodeFields(node, all, context);
      return () => lower(values as object as Values);
    },
  };
}

/** The variants of a union. */
export interface Union<Lowered> {
  readonly byName: ReadonlyMap<string, Variant<Lowered>>;
  /** The names that the original lists when it rejects a type; they are not always all (workflow-language 1.7). */
  readonly listed: readonly string[];
}

/** Makes a union of a table of variants. */
export function unionOf<Lowered>(
  table: Readonly<Record<string, Variant<Lowered>>>,
  listed: readonly string[],
): Union<Lowered> {
  const byName = new Map(Object.values(table).flatMap((variant) => variant.names.map((name) => [name, variant])));
  return { byName, listed };
}

/** Decodes a map by the variant that its `type` names. Reports a problem and returns undefined if it names none. */
export function decodeVariant<Lowered>(
  node: Node,
  { byName, listed }: Union<Lowered>,
  context: Context,
): (() => Lowered) | undefined {
  const { untyped, unknownType } = context.prefixes;
  const reject = (at: Node, message: string, hint: () => string) =>
    void addProblem(context.undecodable, at, message, hint);
  if (node.kind !== 'map') return reject(node, `${untyped}invalid`, () => "write a map with a field 'type'");
  const names = [...byName.keys()];
  const type = node.entries.get('type')?.node;
  const known = (): string => `known types: ${names.join(', ')}`;
  if (type === undefined) return reject(node, `${untyped}missing 'type' field`, known);
  if (typeof type.value !== 'string') return reject(type, `${untyped}bad data-format for 'type' field`, known);
  const { value } = type;
  const variant = byName.get(value);
  if (variant !== undefined) return variant.decode(node, context);
  const message = `${unknownType}type unrecognized(${listed.join(', ')})`;
  return reject(type, message, () => didYouMean(value, names) ?? known());
}
