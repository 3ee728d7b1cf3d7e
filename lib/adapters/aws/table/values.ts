import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item, Value } from '../../../ports/table.ts';

export type Attributes = Record<string, AttributeValue>;

/**
 * A value as DynamoDB writes it.
 * @throws Error for a number that is not finite: DynamoDB has no such number.
 */
export function marshal(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: numeral(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: value };
  if (Array.isArray(value)) return { L: value.map(marshal) };
  return { M: marshalItem(value) };
}

/** The attributes of an item; one that is undefined is left out. */
export function marshalItem(item: Readonly<Record<string, Value | undefined>>): Attributes {
  // Without a prototype, so that an attribute called __proto__ is an attribute like any other.
  const attributes: Attributes = Object.create(null);
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) attributes[name] = marshal(value);
  }
  return attributes;
}

/** The value that DynamoDB's notation stands for. */
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
 * The item that DynamoDB sent.
 * @throws Error when it lacks its keys.
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
    if (value !== undefined) own(map, name, unmarshal(value));
  }
  return map;
}

function own(map: Record<string, Value>, name: string, value: Value): void {
  if (name !== '__proto__') map[name] = value;
  else Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
}

function numeral(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`a table cannot hold the number ${value}`);
  return String(value);
}
