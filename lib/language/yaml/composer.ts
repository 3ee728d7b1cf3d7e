import {
  type AliasEvent,
  EVENT_ID,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { Position } from '../position.ts';
import type { Problem } from '../problem.ts';
import { type Composed, type Composition, reject } from './composition.ts';
import { type EventStream, MAX_DEPTH } from './events.ts';
import { isMergeKey, mergeInto } from './merge-keys.ts';
import { type Entry, listNode, mapNode, type Node, nullNode, type ScalarNode } from './node.ts';
import { textOf } from './quoted.ts';
import { resolvePlain, resolveTagged } from './scalars.ts';

/** Aliases in one document. */
const MAX_ALIASES = 5000;

/** Nodes and characters that aliases may add to a document. */
const MAX_EXPANSION = 4 * 1024 * 1024;

/** Composes the nodes of a document from its events. Returns all problems that do not prevent the composition. */
export function compose({ text: source, events, at }: EventStream): { root: Node } | { problems: Problem[] } {
  const anchors = new Map<string, Composed | null>();
  const composition: Composition = {
    source,
    events,
    at,
    anchors,
    problems: [],
    next: 1,
    offset: 0,
    aliases: 0,
    expansion: 0,
    merged: 0,
  };
  const isEmpty = events.length <= 1 || events[1]?.type === EVENT_ID.POP;
  const root = isEmpty ? nullNode({ line: 1, column: 1 }) : composeNode(composition).node;
  return composition.problems.length > 0 ? { problems: composition.problems } : { root };
}

function composeNode(composition: Composition): Composed {
  const event = composition.events[composition.next++];
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return anchored(composition, event, () => composeScalar(composition, event));
    case EVENT_ID.SEQUENCE:
      return anchored(composition, event, () => composeList(composition, event));
    case EVENT_ID.MAPPING:
      return anchored(composition, event, () => composeMap(composition, event));
    case EVENT_ID.ALIAS:
      return resolveAlias(composition, event);
    default:
      return { node: nullNode(composition.at(composition.offset)), weight: 1, depth: 0 };
  }
}

function anchored(
  composition: Composition,
  event: ScalarEvent | SequenceEvent | MappingEvent,
  composeContent: () => Composed,
): Composed {
  if (event.anchorStart < 0) return composeContent();
  const name = composition.source.slice(event.anchorStart, event.anchorEnd);
  composition.anchors.set(name, null);
  const composed = composeContent();
  composition.anchors.set(name, composed);
  return composed;
}

function resolveAlias(composition: Composition, event: AliasEvent): Composed {
  const name = composition.source.slice(event.anchorStart, event.anchorEnd);
  const at = composition.at(event.anchorStart - 1);
  composition.offset = event.anchorEnd;
  const target = composition.anchors.get(name);
  if (target) {
    countAlias(composition, target, at);
    return target;
  }
  const reason = target === null ? `anchor '${name}' value contains itself` : `unknown anchor '${name}' referenced`;
  reject(
    composition,
    at,
    reason,
    () => `known anchors: ${[...composition.anchors.keys()].slice(0, 20).join(', ') || 'none'}`,
  );
  return { node: nullNode(at), weight: 1, depth: 0 };
}

function countAlias(composition: Composition, target: Composed, at: Position): void {
  const before = isExcessive(composition);
  composition.aliases += 1;
  composition.expansion += target.weight;
  if (before || !isExcessive(composition)) return;
  reject(
    composition,
    at,
    'document contains excessive aliasing',
    () => `write it with fewer than ${MAX_ALIASES} small aliases`,
  );
}

function isExcessive(composition: Composition): boolean {
  return composition.aliases > MAX_ALIASES || composition.expansion > MAX_EXPANSION;
}

function composeScalar(composition: Composition, event: ScalarEvent): Composed {
  const text = textOf(composition.source, event);
  const at = composition.at(event.valueStart < 0 ? composition.offset : startOf(composition, event));
  if (event.valueEnd >= 0) composition.offset = event.valueEnd;
  const tag = shortTag(composition, event);
  const isPlain = event.style === SCALAR_STYLE.PLAIN && tag === '';
  const scalar = isPlain ? resolvePlain(text) : resolveTagged(tag === '' ? '!!str' : tag, text);
  if (scalar === undefined) reject(composition, at, `cannot decode ${resolvePlain(text).tag} \`${text}\` as a ${tag}`);
  const { value, tag: meaning } = scalar ?? { value: text, tag: '!!str' };
  if (typeof value === 'number' && !Number.isFinite(value)) {
    reject(composition, at, `line ${at.line}: ${text} is not a number in JSON`, () => 'quote it, or leave it out');
  }
  const node: ScalarNode = { kind: 'scalar', value, tag: meaning, text, line: at.line, column: at.column };
  return { node, weight: 1 + text.length, depth: 0 };
}

/** The value of an event begins after the quote, or after the `|` of a block; the position is that of the quote. */
function startOf(composition: Composition, event: ScalarEvent): number {
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  return isQuoted ? event.valueStart - 1 : Math.min(event.valueStart, composition.source.length);
}

function shortTag(composition: Composition, event: ScalarEvent | MappingEvent): string {
  if (event.tagStart < 0) return '';
  return composition.source.slice(event.tagStart, event.tagEnd).replace(/^!<tag:yaml\.org,2002:(.*)>$/, '!!$1');
}

function composeList(composition: Composition, event: SequenceEvent): Composed {
  const at = composition.at(event.start);
  const items: Composed[] = [];
  while (!isClosed(composition)) items.push(composeNode(composition));
  return collection(
    composition,
    listNode(
      items.map((item) => item.node),
      at,
    ),
    items,
  );
}

function composeMap(composition: Composition, event: MappingEvent): Composed {
  const at = composition.at(event.start);
  const entries = new Map<string, Entry>();
  const merges: Entry[] = [];
  const parts: Composed[] = [];
  while (!isClosed(composition)) {
    const isMerge = isMergeKey(composition.source, composition.events[composition.next]);
    const key = composeNode(composition);
    const value = composeNode(composition);
    parts.push(key, value);
    const entry = entryOf(composition, key.node, value.node, isMerge);
    if (entry === undefined) continue;
    const earlier = isMerge ? merges[0] : entries.get(entry.key);
    if (earlier !== undefined) rejectDuplicate(composition, entry, earlier);
    else if (isMerge) merges.push(entry);
    else entries.set(entry.key, entry);
  }
  for (const merge of merges) mergeInto(composition, entries, merge);
  return collection(composition, mapNode(entries, at), parts);
}

function entryOf(composition: Composition, key: Node, node: Node, isMerge: boolean): Entry | undefined {
  const isText = key.kind === 'scalar' && (key.tag === '!!str' || isMerge);
  if (isText) return { key: key.text, node, line: key.line, column: key.column };
  const what = key.kind === 'scalar' ? `\`${key.text}\`` : `a ${key.kind}`;
  reject(composition, key, `line ${key.line}: mapping key ${what} is not text`, () => 'put the key in quotes');
  return undefined;
}

function rejectDuplicate(composition: Composition, entry: Entry, earlier: Entry): void {
  const text = `mapping key ${JSON.stringify(entry.key)} already defined at line ${earlier.line}`;
  reject(composition, entry, `unmarshal errors:\n  line ${entry.line}: ${text}`, () => 'leave one of the two out');
}

function isClosed(composition: Composition): boolean {
  const event = composition.events[composition.next];
  if (event !== undefined && event.type !== EVENT_ID.POP) return false;
  composition.next += 1;
  return true;
}

function collection(composition: Composition, node: Node, parts: readonly Composed[]): Composed {
  const weight = parts.reduce((sum, part) => sum + part.weight, 1);
  const depth = parts.reduce((most, part) => Math.max(most, part.depth), 0) + 1;
  if (depth === MAX_DEPTH + 1) reject(composition, node, `exceeded max depth of ${MAX_DEPTH}`);
  return { node, weight, depth };
}
