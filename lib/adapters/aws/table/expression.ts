import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Condition, Query, TextCondition, Value, Where, Write } from '../../../ports/table.ts';
import type { KeyRange } from '../../portable/pages.ts';
import { keyNames } from '../../portable/schema.ts';
import { marshal } from './values.ts';

type Update = Extract<Write, { do: 'update' }>;

/** The placeholders of one request. All names and values are replaced, so that none collides with a reserved word. */
export class Placeholders {
  #names: Map<string, `#${number}`> | undefined;
  #values: Record<string, AttributeValue> | undefined;
  #count = 0;

  /** The placeholder of an attribute. */
  name(attribute: string): string {
    this.#names ??= new Map();
    const known = this.#names.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#${this.#names.size}` as const;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  /** A placeholder of the value. */
  value(value: Value): string {
    this.#values ??= {};
    const placeholder = `:${this.#count++}` as const;
    this.#values[placeholder] = marshal(value);
    return placeholder;
  }

  /** The fields of the request that define the placeholders; DynamoDB rejects empty maps. */
  fields(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  } {
    const names: Record<string, string> = {};
    for (const [attribute, placeholder] of this.#names ?? []) names[placeholder] = attribute;
    return {
      ...(this.#names && { ExpressionAttributeNames: names }),
      ...(this.#values && { ExpressionAttributeValues: this.#values }),
    };
  }
}

/** The condition as an expression; undefined for no condition. */
export function conditionText(when: Condition | undefined, holders: Placeholders): string | undefined {
  if (when === undefined) return undefined;
  const parts: string[] = [];
  if (when.absent) parts.push(`attribute_not_exists(${holders.name(keyNames.partition)})`);
  if (when.present) parts.push(`attribute_exists(${holders.name(keyNames.partition)})`);
  for (const [name, value] of Object.entries(when.equals ?? {})) {
    parts.push(`${holders.name(name)} = ${holders.value(value)}`);
  }
  return parts.length === 0 ? undefined : parts.join(' AND ');
}

function testText({ attribute, is, text }: TextCondition, holders: Placeholders): string {
  const [name, value] = [holders.name(attribute), holders.value(text)];
  if (is === 'equal to') return `${name} = ${value}`;
  return `${is === 'containing' ? 'contains' : 'begins_with'}(${name}, ${value})`;
}

/** The condition of a query on its items, as an expression; undefined for no condition. */
export function whereText(where: Where | undefined, holders: Placeholders): string | undefined {
  if (where === undefined || where.length === 0) return undefined;
  return where.map((group) => `(${group.map((one) => testText(one, holders)).join(' OR ')})`).join(' AND ');
}

/**
 * The changes of an update, as an expression.
 * @throws Error when it changes nothing: DynamoDB would create an empty item, or reject it, depending on the operation.
 */
export function updateText(update: Update, holders: Placeholders): string {
  const set: string[] = [];
  for (const [name, value] of Object.entries(update.set ?? {})) {
    if (value !== undefined) set.push(`${holders.name(name)} = ${holders.value(value)}`);
  }
  const remove = (update.remove ?? []).map((name) => holders.name(name));
  const add = Object.entries(update.add ?? {}).map(([name, by]) => `${holders.name(name)} ${holders.value(by)}`);
  const clauses = [clause('SET', set), clause('REMOVE', remove), clause('ADD', add)].filter((text) => text !== '');
  if (clauses.length === 0) throw new Error(`an update of ${update.key.pk} ${update.key.sk} changes nothing`);
  return clauses.join(' ');
}

function clause(verb: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${verb} ${parts.join(', ')}`;
}

/** The partition and the range of a query, as an expression. */
export function keyText(
  query: Query,
  range: KeyRange,
  keys: { readonly hash: string; readonly range: string },
  holders: Placeholders,
): string {
  const partition = `${holders.name(keys.hash)} = ${holders.value(query.pk)}`;
  const rest = rangeText(query, range, keys.range, holders);
  return rest === undefined ? partition : `${partition} AND ${rest}`;
}

function rangeText(query: Query, { from, to }: KeyRange, attribute: string, holders: Placeholders): string | undefined {
  if (query.prefix && query.from === undefined && query.to === undefined) {
    return `begins_with(${holders.name(attribute)}, ${holders.value(query.prefix)})`;
  }
  if (from === undefined && to === undefined) return undefined;
  const name = holders.name(attribute);
  if (to === undefined) return `${name} >= ${holders.value(from ?? '')}`;
  if (from === undefined) return `${name} <= ${holders.value(to)}`;
  return `${name} BETWEEN ${holders.value(from)} AND ${holders.value(to)}`;
}
