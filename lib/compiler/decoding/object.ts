import { didYouMean } from '../../language/suggestions.ts';
import type { Entry, MapNode, Node } from '../../language/yaml/parser.ts';
import type { AcceptedFields } from './accepted.ts';
import { type Context, reportUndecodable } from './context.ts';
import { createDecoder, type Decoder, reportWrongType } from './decoders.ts';

/**
 * Decoders by the names of their fields. The type is `object`, because TypeScript would forget the result types in a
 * record of decoders; `Decoded` recovers them.
 */
export type Fields = object;

type Decoders = Readonly<Record<string, Decoder<unknown>>>;

/** The result of decoding the fields. */
export type Decoded<F extends Fields> = { readonly [K in keyof F]: F[K] extends Decoder<infer T> ? T : never };

/** Hints for fields that are often written at the wrong place, which is recognized by a field that belongs there. */
const MISPLACED_FIELDS: readonly {
  readonly fields: readonly string[];
  readonly beside: string;
  readonly hint: string;
}[] = [
  { fields: ['retry'], beside: 'retries', hint: "did you mean 'retries'?" },
  {
    fields: ['retry', 'retries', 'files', 'input', 'secrets', 'function'],
    beside: 'action',
    hint: "it belongs into 'action'",
  },
  { fields: ['retry', 'retries', 'files', 'input', 'secrets'], beside: 'actions', hint: 'it belongs into each action' },
  { fields: ['async', 'timeout'], beside: 'retries', hint: "it belongs into the state, beside 'action'" },
  {
    fields: ['transition', 'transform'],
    beside: 'conditions',
    hint: "it belongs into each condition; without a condition use 'defaultTransition' and 'defaultTransform'",
  },
  { fields: ['transition', 'transform'], beside: 'events', hint: 'it belongs into each of the events' },
  {
    fields: ['transition'],
    beside: 'choices',
    hint: "the next states are in 'choices', for example choices: {approve: pay, refuse: stop}",
  },
  { fields: ['type', 'context'], beside: 'event', hint: "it belongs into 'event'" },
  { fields: ['id', 'name'], beside: 'states', hint: 'a workflow has no such field: its path in the tree is its name' },
  {
    fields: ['concurrency', 'rate', 'scope'],
    beside: 'workflow',
    hint: "a subflow is limited by the 'concurrency' and the 'rate' at the top of its own workflow",
  },
  {
    fields: ['concurrency', 'rate', 'scope'],
    beside: 'queue',
    hint: 'the number of its workers limits the tasks of a queue at work',
  },
  { fields: ['files'], beside: 'image', hint: "it belongs into the action's 'files'" },
  {
    fields: ['patches'],
    beside: 'image',
    hint: 'patches are for Kubernetes, which Weft does not use: remove the field',
  },
];

/** A map with these fields and no others; if it is lenient, other fields are ignored. Undefined if it is absent. */
export function object<F extends Fields>(fields: F, { isLenient = false } = {}): Decoder<Decoded<F> | undefined> {
  return createDecoder({ kind: 'object', fields: acceptedFields(fields), isLenient }, (node, field, context) => {
    if (node === undefined) return undefined;
    if (node.kind !== 'map') return reportWrongType(context, node, field, 'a map');
    return decodeFields(node, fields, context, isLenient);
  });
}

/** The values that each of the fields accepts. */
export function acceptedFields(fields: Fields): AcceptedFields {
  return Object.fromEntries(Object.entries(fields as Decoders).map(([name, { accepts }]) => [name, accepts]));
}

/**
 * Decodes the fields of a map, in the order of the decoders. Names of fields match in any case, except `type`
 * (workflow-language 1.2).
 */
export function decodeFields<F extends Fields>(
  node: MapNode,
  fields: F,
  context: Context,
  isLenient = false,
): Decoded<F> {
  const found = findEntries(node, fields, context, isLenient);
  const values = Object.entries(fields as Decoders).map(([name, decode]) => {
    const entry = found.get(name);
    const { line, column } = entry ?? node;
    const given = decode.accepts.kind === 'words' ? entry?.node : entry && unlessNull(entry.node);
    return [name, decode(given, { name, line, column }, context)];
  });
  return Object.fromEntries(values) as Decoded<F>;
}

function unlessNull(node: Node): Node | undefined {
  return node.value === null ? undefined : node;
}

function findEntries(node: MapNode, fields: Fields, context: Context, isLenient: boolean): Map<string, Entry> {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  const found = new Map<string, Entry>();
  for (const entry of node.entries.values()) {
    const name = entry.key === 'type' ? 'type' : names.get(entry.key.toLowerCase());
    if (name === undefined || !Object.hasOwn(fields, name) || (name === 'type' && entry.key !== name)) {
      if (!isLenient) reportUnknownField(entry, fields, context);
    } else if (found.has(name)) {
      const hint = () => 'names of fields are the same in upper and lower case';
      reportUndecodable(context, entry, `field "${name}" is given twice`, hint);
    } else {
      found.set(name, entry);
    }
  }
  return found;
}

function reportUnknownField(entry: Entry, fields: Fields, context: Context): void {
  const { key } = entry;
  const names = Object.keys(fields);
  const misplaced = MISPLACED_FIELDS.find(
    (row) => names.includes(row.beside) && row.fields.includes(key.toLowerCase()),
  );
  const hint = () => misplaced?.hint ?? didYouMean(key, names) ?? `known fields: ${names.join(', ')}`;
  reportUndecodable(context, entry, `unknown field ${JSON.stringify(key)}`, hint);
}
