import type { Key } from '../../../ports/table.ts';
import { sha256 } from '../ids.ts';
import { at, type Partition, type PartitionRange, part, runs } from '../key-parts.ts';
import { type Home, type Partitions, partitionOf, partitionsAt, spreadKey, spreadKeys } from '../spread.ts';

/**
 * A partition of the listeners of a type that demand no exact value of an attribute; in the first one, 0, they come after the
 * `descriptions` of the type. The number is in the first word of the key: a type may end like one.
 */
export const ofType = (namespaceId: string, type: string, partition = 0): Partition =>
  runs(`listeners${partition === 0 ? '' : `-${partition}`}#${namespaceId}#${part(type)}`);

const DESCRIPTION = 'attribute';
const ATTRIBUTE = `${DESCRIPTION}#`;
const PARTITIONS = `${DESCRIPTION}-partitions#`;
/** The descriptions of a type, which are stored beside its listeners: each `attribute` and `partitions`. */
export const descriptions = (namespaceId: string, type: string): PartitionRange => ({
  ...ofType(namespaceId, type),
  prefix: DESCRIPTION,
});
/** Whether a sort key is that of a description, not of a listener. */
export const isDescription = (sk: string): boolean => sk.startsWith(DESCRIPTION);
/** The key of an attribute by whose values listeners of a type are stored. */
export const attribute = (namespaceId: string, type: string, name: string): Key =>
  at(ofType(namespaceId, type), `${ATTRIBUTE}${part(name)}`);
/** The key of a number of partitions that a type has at least. */
export const partitions = (namespaceId: string, type: string, count: number): Key =>
  at(ofType(namespaceId, type), `${PARTITIONS}${String(count).padStart(2, '0')}`);

const VALUE_LENGTH = 32;
/** The part of a key for a value of an attribute: a hash, as values may be long. */
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

/** The values that determine where a listener is stored. */
interface Demand {
  readonly type: string;
  /** The exact value that it demands. */
  readonly value: string | undefined;
  /** The partition of the type; used only without a value. */
  readonly partition: number;
}

/** The key of a listener; `slot` is the index of its filter in its owner. */
export function listener(namespaceId: string, { type, value, partition }: Demand, owner: string, slot: number): Key {
  const name = `${owner}#${String(slot).padStart(3, '0')}`;
  if (value === undefined) return at(ofType(namespaceId, type, partition), name);
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
/** The `descriptions` of all types of a namespace. */
export const descriptionsOfAll = (namespaceId: string): Partition => ({
  ...runs(`${namespaceId}#listener-attributes`),
  index: 'by-namespace',
});
