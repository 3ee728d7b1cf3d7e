import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item, Value } from '../../../ports/table.ts';

/** The attributes of an item in the notation of DynamoDB. */
export type Attributes = Record<string, AttributeValue>;

/**
 * A value in the notation of DynamoDB.
 * @throws Error for a number that is not finite, which DynamoDB cannot store.
 */
export function marshal(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: numberText(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(marshal) };
  return { M: marshalItem(value) };
}

/** An item in the notation of DynamoDB, without undefined attributes. */
export function marshalItem(item: Readonly<Record<string, Value | undefined>>): Attributes {
  // Without a prototype, so that an attribute named __proto__ is stored like any other.
  const attributes: Attributes = Object.create(null);
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) attributes[name] = marshal(value);
  }
  return attributes;
}

/** The value of an attribute in the notation of DynamoDB. */
export function unmarshal(value: AttributeValue): Value {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.NULL !== undefined) return null;
  if (value.M !== undefined) return unmarshalMap(value.M);
  if (value.L !== undefined) return value.L.map(unmarshal);
  if (value.B !== undefined) return value.B;
  throw new Error(`an attribute holds a type that is never written: ${Object.keys(value).join()}`);
}

/**
 * An item from the notation of DynamoDB.
 * @throws Error when it has no keys.
 */
export function unmarshalItem(attributes: Attributes): Item {
  const item = unmarshalMap(attributes);
  const { pk, sk } = item;
  if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('an item came without its keys');
  return item as Record<string, Value> & { pk: string; sk: string };
}

function unmarshalMap(attributes: Attributes): Record<string, Value> {
  const map: Record<string, Value> = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value !== undefined) define(map, name, unmarshal(value));
  }
  return map;
}

function define(map: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') map[name] = value;
  else Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`a table cannot hold the number ${value}`);
  return String(value);
}
