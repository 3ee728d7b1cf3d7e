import type { Item, Value } from '../../../ports/table.ts';

/** A value in DynamoDB's notation in JSON: bytes are base64 text. */
type Notation = Readonly<Partial<Record<'S' | 'N' | 'B', string>>> & {
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly Notation[];
  readonly M?: Attributes;
};
type Attributes = Readonly<Record<string, Notation>>;

function toValue({ S: text, N: number, B: bytes, BOOL: truth, L: list, M: map }: Notation): Value {
  if (text !== undefined) return text;
  if (number !== undefined) return Number(number);
  if (bytes !== undefined) return new Uint8Array(Buffer.from(bytes, 'base64'));
  if (truth !== undefined) return truth;
  if (list !== undefined) return list.map(toValue);
  return map === undefined ? null : attributesOf(map);
}

function attributesOf(attributes: Attributes): Record<string, Value> {
  const entries = Object.entries(attributes).map(([name, value]) => [name, toValue(value)]);
  return Object.fromEntries(entries) as Record<string, Value>;
}

/** Returns the item of a JSON text in DynamoDB's notation. */
export const itemOf = (text: string): Item => attributesOf(JSON.parse(text) as Attributes) as Item;
