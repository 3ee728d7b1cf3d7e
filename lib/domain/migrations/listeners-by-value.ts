import { createHash } from 'node:crypto';
import type { Item } from '../../ports/table.ts';
import type { Migration } from './migration.ts';

const PREFIX = 'listeners#';
const ATTRIBUTE = 'attribute#';
const SHARED_ATTRIBUTES = new Set(['type', 'source', 'dataschema', 'datacontenttype']);
const MAX_PART_LENGTH = 200;
const HASH_LENGTH = 32;
const TIME_DIGITS = 15;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const partOf = (text: string): string => (text.length <= MAX_PART_LENGTH ? text : `sha256:${sha256(text)}`);

const isListener = ({ pk, sk, filter }: Item): boolean =>
  pk.startsWith(PREFIX) && !sk.startsWith(ATTRIBUTE) && typeof filter === 'string';

interface Literal {
  readonly attribute: string;
  readonly text: string;
}

function compare(one: Literal, other: Literal): number {
  const shared = Number(SHARED_ATTRIBUTES.has(one.attribute)) - Number(SHARED_ATTRIBUTES.has(other.attribute));
  const order = shared || other.text.length - one.text.length;
  return order || (`${one.attribute}=${one.text}` < `${other.attribute}=${other.text}` ? -1 : 1);
}

/** The exact value that a listener demands; undefined when it demands none. */
function literalOf(item: Item): Literal | undefined {
  const { context } = JSON.parse(String(item['filter'])) as { readonly context: Readonly<Record<string, unknown>> };
  const literals = Object.entries(context).flatMap(([name, text]): Literal[] =>
    typeof text === 'string' && !text.includes('*') ? [{ attribute: name.toLowerCase(), text }] : [],
  );
  return literals.sort(compare)[0];
}

/** A listener by the value that it demands, and in the index by the time of its creation. */
function toListener(item: Item): Item {
  const time = String(Math.max(Number(item['created']), 0)).padStart(TIME_DIGITS, '0');
  const order = `${time}#${item['kind']}#${item['owner']}`;
  const literal = literalOf(item);
  if (literal === undefined) return item['order'] === order ? item : { ...item, order };
  const hash = sha256(JSON.stringify([literal.attribute, literal.text])).slice(0, HASH_LENGTH);
  const pk = `listeners-by-value#${hash.slice(0, 1)}#${item.pk.slice(PREFIX.length)}`;
  return { ...item, pk, sk: `${hash}#${item.sk}`, order };
}

/** The attribute by which a listener is found. */
function attributesOf(item: Item): Item[] {
  const literal = isListener(item) ? literalOf(item) : undefined;
  if (literal === undefined) return [];
  const [namespaceId = ''] = item.pk.slice(PREFIX.length).split('#', 1);
  const sk = `${ATTRIBUTE}${partOf(literal.attribute)}`;
  const { attribute } = literal;
  return [{ pk: item.pk, sk, attribute, nsBucket: `${namespaceId}#listener-attributes`, order: sk }];
}

/** To schema version 3: listeners that demand an exact value of an attribute are stored by that value. */
export const listenersByValue: Migration = {
  changes: { runs: (item) => [isListener(item) && item['nsBucket'] !== undefined ? toListener(item) : item] },
  additions: { runs: attributesOf },
};
