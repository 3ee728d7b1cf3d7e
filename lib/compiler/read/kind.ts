import { addProblem } from '../../language/problem.ts';
import { didYouMean } from '../../language/suggestions.ts';
import type { MapNode, Node } from '../../language/yaml/parser.ts';
import type { Reading } from './reading.ts';
import { type Fields, readFields } from './record.ts';
import { text } from './shape.ts';

/** One of the types of states, functions or starts. What `read` gives may be called only when nothing was said. */
export interface Kind<Lowered> {
  /** Its own name, then those that the language knows it by as well. */
  readonly names: readonly string[];
  readonly read: (node: MapNode, reading: Reading) => () => Lowered;
}

/** A kind is its names, its fields, and what they become in the plan. */
export function defineKind<Values extends object, Lowered>(
  names: readonly string[],
  fields: Fields,
  lower: (values: Values) => Lowered,
): Kind<Lowered> {
  const all = { type: text, ...fields };
  return {
    names,
    read: (node, reading) => {
      const values = readFields(node, all, reading);
      return () => lower(values as object as Values);
    },
  };
}

/** All kinds by all their names. */
export function tableOf<Lowered>(kinds: readonly Kind<Lowered>[]): ReadonlyMap<string, Kind<Lowered>> {
  return new Map(kinds.flatMap((kind) => kind.names.map((name) => [name, kind])));
}

/**
 * Reads a map by the kind that its `type` names; undefined when it names none. `told` are the names that the original
 * lists in its message, which are not always all (workflow-language 1.7).
 */
export function readKind<Lowered>(
  node: Node,
  kinds: ReadonlyMap<string, Kind<Lowered>>,
  told: readonly string[],
  reading: Reading,
): (() => Lowered) | undefined {
  const { broken, unknown } = reading.wording;
  const no = (at: Node, message: string, hint: () => string) => void addProblem(reading.misread, at, message, hint);
  if (node.kind !== 'map') return no(node, `${broken}invalid`, () => 'write a map with a type');
  const names = [...kinds.keys()];
  const type = node.entries.get('type')?.node;
  const known = (): string => `known types: ${names.join(', ')}`;
  if (type === undefined) return no(node, `${broken}missing 'type' field`, known);
  if (typeof type.value !== 'string') return no(type, `${broken}bad data-format for 'type' field`, known);
  const { value } = type;
  const kind = kinds.get(value);
  if (kind === undefined) {
    return no(type, `${unknown}type unrecognized(${told.join(', ')})`, () => didYouMean(value, names) ?? known());
  }
  return kind.read(node, reading);
}
