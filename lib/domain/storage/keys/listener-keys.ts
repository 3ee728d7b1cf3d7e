import type { Key } from '../../../ports/table.ts';
import { sha256 } from '../ids.ts';
import { at, type Partition, type PartitionRange, part, runs } from '../key-parts.ts';
import { type Home, type Partitions, partitionOf, partitionsAt, spreadKey, spreadKeys } from '../spread.ts';

/** The listeners of a type that demand no exact value of an attribute, after the `attributes` of the type. */
export const ofType = (namespaceId: string, type: string): Partition => runs(`listeners#${namespaceId}#${part(type)}`);

const ATTRIBUTE = 'attribute#';
/** The attributes by whose values the other listeners of a type are stored. */
export const attributes = (namespaceId: string, type: string): PartitionRange => ({
  ...ofType(namespaceId, type),
  prefix: ATTRIBUTE,
});
/** The key of an attribute by whose values listeners of a type are stored. */
export const attribute = (namespaceId: string, type: string, name: string): Key =>
  at(ofType(namespaceId, type), `${ATTRIBUTE}${part(name)}`);
/** Whether a sort key is that of an `attribute`. */
export const isAttribute = (sk: string): boolean => sk.startsWith(ATTRIBUTE);

const VALUE_LENGTH = 32;
/** What stands in keys for a value of an attribute: a hash, as values may be long. */
export const valueHash = (attribute: string, value: string): string =>
  sha256(JSON.stringify([attribute, value])).slice(0, VALUE_LENGTH);

const HEX_DIGITS = [...'0123456789abcdef'];
const ofDigit = (namespaceId: string, type: string, digit: string): Partition =>
  runs(`listeners-by-value#${digit}#${namespaceId}#${part(type)}`);
/** All listeners of a type that demand an exact value, in the order of `valueHash`. */
export const byValue = (namespaceId: string, type: string): Partition[] =>
  HEX_DIGITS.map((digit) => ofDigit(namespaceId, type, digit));
/** The listeners of a type that demand this value. */
export const ofValue = (namespaceId: string, type: string, value: string): PartitionRange => ({
  ...ofDigit(namespaceId, type, value.slice(0, 1)),
  prefix: `${value}#`,
});

/** The key of a listener; `value` is the exact value that it demands, `slot` the index of its filter in its owner. */
export function listener(
  namespaceId: string,
  { type, value }: { readonly type: string; readonly value: string | undefined },
  owner: string,
  slot: number,
): Key {
  const name = `${owner}#${String(slot).padStart(3, '0')}`;
  if (value === undefined) return at(ofType(namespaceId, type), name);
  return at(ofDigit(namespaceId, type, value.slice(0, 1)), `${value}#${name}`);
}

const allListeners = ({ id }: Home): string => `${id}#listeners`;

/** The first listeners of all owners of a namespace, by creation. They share the index `by-namespace` with the runs. */
export const ofNamespace = (home: Home): Partitions => ({
  table: 'runs',
  index: 'by-namespace',
  // The listeners of a step stay while they are needed, so those of all steps are read.
  pks: spreadKeys(allListeners(home), partitionsAt(home, Number.POSITIVE_INFINITY)),
  order: 'order',
});
/** The partition key of the first listener of an owner, created at a time, in `ofNamespace`. */
export const listenerBucket = (home: Home, created: number, owner: string): string =>
  spreadKey(allListeners(home), partitionOf(home, created, owner));
/** The `attributes` of all types of a namespace. */
export const attributesOfAll = (namespaceId: string): Partition => ({
  ...runs(`${namespaceId}#listener-attributes`),
  index: 'by-namespace',
});
