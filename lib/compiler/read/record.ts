import { didYouMean } from '../../language/suggestions.ts';
import type { Entry, MapNode, Node } from '../../language/yaml/parser.ts';
import { misread, type Reading } from './reading.ts';
import { misplaced, type Shape } from './shape.ts';

/** Shapes by the names of their fields. Not a record of shapes: that would make TypeScript forget what each one reads. */
export type Fields = object;

type Shapes = Readonly<Record<string, Shape<unknown>>>;

/** What reading the fields gives. */
export type Read<F extends Fields> = { readonly [K in keyof F]: F[K] extends Shape<infer T> ? T : never };

/** Fields that people write where they do not belong: known by a field that does belong there. */
const HINTS: readonly { readonly fields: readonly string[]; readonly beside: string; readonly hint: string }[] = [
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
    hint: 'it belongs into each condition, or begin it with default',
  },
  { fields: ['transition', 'transform'], beside: 'events', hint: 'it belongs into each of the events' },
  { fields: ['type', 'context'], beside: 'event', hint: "it belongs into 'event'" },
  { fields: ['id', 'name'], beside: 'states', hint: 'the place in the tree is the name of a workflow' },
  { fields: ['files'], beside: 'image', hint: "it belongs into the action's 'files'" },
  { fields: ['patches'], beside: 'image', hint: 'patches are for Kubernetes, which is not used here' },
];

/** A map with these fields and no others, unless it is lenient. Undefined when there is none. */
export function record<F extends Fields>(fields: F, { isLenient = false } = {}): Shape<Read<F> | undefined> {
  return (node, place, reading) => {
    if (node === undefined) return undefined;
    if (node.kind !== 'map') return misplaced(reading, node, place, 'a map');
    return readFields(node, fields, reading, isLenient);
  };
}

/** Reads the fields of a map in the order of the shapes. Names match in any case, save that of `type` (workflow-language 1.2). */
export function readFields<F extends Fields>(node: MapNode, fields: F, reading: Reading, isLenient = false): Read<F> {
  const found = findEntries(node, fields, reading, isLenient);
  const values = Object.entries(fields as Shapes).map(([name, shape]) => {
    const entry = found.get(name);
    const { line, column } = entry ?? node;
    return [name, shape(entry && present(entry.node), { name, line, column }, reading)];
  });
  return Object.fromEntries(values) as Read<F>;
}

function present(node: Node): Node | undefined {
  return node.value === null ? undefined : node;
}

function findEntries(node: MapNode, fields: Fields, reading: Reading, isLenient: boolean): Map<string, Entry> {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  const found = new Map<string, Entry>();
  for (const entry of node.entries.values()) {
    const name = entry.key === 'type' ? 'type' : names.get(entry.key.toLowerCase());
    if (name === undefined || !Object.hasOwn(fields, name) || (name === 'type' && entry.key !== name)) {
      if (!isLenient)
        misread(reading, entry, `unknown field ${JSON.stringify(entry.key)}`, () => hint(entry.key, fields));
    } else if (found.has(name)) {
      misread(reading, entry, `field "${name}" is given twice`, () => 'upper and lower case make no difference');
    } else {
      found.set(name, entry);
    }
  }
  return found;
}

function hint(name: string, fields: Fields): string {
  const row = HINTS.find(
    ({ fields: names, beside }) => Object.hasOwn(fields, beside) && names.includes(name.toLowerCase()),
  );
  return row?.hint ?? didYouMean(name, Object.keys(fields)) ?? `known fields: ${Object.keys(fields).join(', ')}`;
}
