import {
  type AliasEvent,
  EVENT_ID,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type { Position } from '../position.ts';
import type { Problem } from '../problem.ts';
import { type Composition, type Piece, refuse } from './composition.ts';
import { isMergeKey, mergeInto } from './merge-keys.ts';
import { type Entry, listNode, mapNode, type Node, nullNode, type ScalarNode } from './node.ts';
import { resolvePlain, resolveTagged } from './scalars.ts';
import { MOST_DEPTH, type Parsed } from './syntax.ts';

const MOST_ALIASES = 5000;

/** Nodes and characters that aliases may add to a document; a document that grows beyond it is an attack. */
const MOST_EXPANSION = 4 * 1024 * 1024;

/** Makes the nodes of the first document of the events. Problems that do not stop the reading are all collected. */
export function compose({ text: source, events, at }: Parsed): { root: Node } | { problems: Problem[] } {
  const anchors = new Map<string, Piece | null>();
  const reading: Composition = {
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
  const root = isEmpty ? nullNode({ line: 1, column: 1 }) : readPiece(reading).node;
  return reading.problems.length > 0 ? { problems: reading.problems } : { root };
}

function readPiece(reading: Composition): Piece {
  const event = reading.events[reading.next++];
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return anchored(reading, event, () => readScalar(reading, event));
    case EVENT_ID.SEQUENCE:
      return anchored(reading, event, () => readList(reading, event));
    case EVENT_ID.MAPPING:
      return anchored(reading, event, () => readMap(reading, event));
    case EVENT_ID.ALIAS:
      return readAlias(reading, event);
    default:
      return { node: nullNode(reading.at(reading.offset)), weight: 1, depth: 0 };
  }
}

function anchored(reading: Composition, event: ScalarEvent | SequenceEvent | MappingEvent, read: () => Piece): Piece {
  if (event.anchorStart < 0) return read();
  const name = reading.source.slice(event.anchorStart, event.anchorEnd);
  reading.anchors.set(name, null);
  const piece = read();
  reading.anchors.set(name, piece);
  return piece;
}

function readAlias(reading: Composition, event: AliasEvent): Piece {
  const name = reading.source.slice(event.anchorStart, event.anchorEnd);
  const at = reading.at(event.anchorStart - 1);
  reading.offset = event.anchorEnd;
  const piece = reading.anchors.get(name);
  if (piece) {
    countAlias(reading, piece, at);
    return piece;
  }
  const reason = piece === null ? `anchor '${name}' value contains itself` : `unknown anchor '${name}' referenced`;
  refuse(reading, at, reason, () => `known anchors: ${[...reading.anchors.keys()].slice(0, 20).join(', ') || 'none'}`);
  return { node: nullNode(at), weight: 1, depth: 0 };
}

function countAlias(reading: Composition, piece: Piece, at: Position): void {
  const before = isExcessive(reading);
  reading.aliases += 1;
  reading.expansion += piece.weight;
  if (before || !isExcessive(reading)) return;
  refuse(
    reading,
    at,
    'document contains excessive aliasing',
    () => `write it with fewer than ${MOST_ALIASES} small aliases`,
  );
}

function isExcessive(reading: Composition): boolean {
  return reading.aliases > MOST_ALIASES || reading.expansion > MOST_EXPANSION;
}

function readScalar(reading: Composition, event: ScalarEvent): Piece {
  const text = getScalarValue(reading.source, event);
  const at = reading.at(event.valueStart < 0 ? reading.offset : startOf(reading, event));
  if (event.valueEnd >= 0) reading.offset = event.valueEnd;
  const tag = shortTag(reading, event);
  const isPlain = event.style === SCALAR_STYLE.PLAIN && tag === '';
  const scalar = isPlain ? resolvePlain(text) : resolveTagged(tag === '' ? '!!str' : tag, text);
  if (scalar === undefined) refuse(reading, at, `cannot decode ${resolvePlain(text).tag} \`${text}\` as a ${tag}`);
  const { value, tag: meaning } = scalar ?? { value: text, tag: '!!str' };
  if (typeof value === 'number' && !Number.isFinite(value)) {
    refuse(reading, at, `line ${at.line}: ${text} is not a number in JSON`, () => 'quote it, or leave it out');
  }
  const node: ScalarNode = { kind: 'scalar', value, tag: meaning, text, line: at.line, column: at.column };
  return { node, weight: 1 + text.length, depth: 0 };
}

/** The event begins behind the quote, or behind the `|` of a block. */
function startOf(reading: Composition, event: ScalarEvent): number {
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  return isQuoted ? event.valueStart - 1 : Math.min(event.valueStart, reading.source.length);
}

function shortTag(reading: Composition, event: ScalarEvent | MappingEvent): string {
  if (event.tagStart < 0) return '';
  return reading.source.slice(event.tagStart, event.tagEnd).replace(/^!<tag:yaml\.org,2002:(.*)>$/, '!!$1');
}

function readList(reading: Composition, event: SequenceEvent): Piece {
  const at = reading.at(event.start);
  const items: Piece[] = [];
  while (!isClosed(reading)) items.push(readPiece(reading));
  return collection(
    reading,
    listNode(
      items.map((item) => item.node),
      at,
    ),
    items,
  );
}

function readMap(reading: Composition, event: MappingEvent): Piece {
  const at = reading.at(event.start);
  const entries = new Map<string, Entry>();
  const merges: Entry[] = [];
  const pieces: Piece[] = [];
  while (!isClosed(reading)) {
    const isMerge = isMergeKey(reading.source, reading.events[reading.next]);
    const key = readPiece(reading);
    const value = readPiece(reading);
    pieces.push(key, value);
    const entry = entryOf(reading, key.node, value.node, isMerge);
    if (entry === undefined) continue;
    const earlier = isMerge ? merges[0] : entries.get(entry.key);
    if (earlier !== undefined) refuseDuplicate(reading, entry, earlier);
    else if (isMerge) merges.push(entry);
    else entries.set(entry.key, entry);
  }
  for (const merge of merges) mergeInto(reading, entries, merge);
  return collection(reading, mapNode(entries, at), pieces);
}

function entryOf(reading: Composition, key: Node, node: Node, isMerge: boolean): Entry | undefined {
  const isText = key.kind === 'scalar' && (key.tag === '!!str' || isMerge);
  if (isText) return { key: key.text, node, line: key.line, column: key.column };
  const what = key.kind === 'scalar' ? `\`${key.text}\`` : `a ${key.kind}`;
  refuse(reading, key, `line ${key.line}: mapping key ${what} is not text`, () => 'put the key in quotes');
  return undefined;
}

function refuseDuplicate(reading: Composition, entry: Entry, earlier: Entry): void {
  const text = `mapping key ${JSON.stringify(entry.key)} already defined at line ${earlier.line}`;
  refuse(reading, entry, `unmarshal errors:\n  line ${entry.line}: ${text}`, () => 'leave one of the two out');
}

function isClosed(reading: Composition): boolean {
  const event = reading.events[reading.next];
  if (event !== undefined && event.type !== EVENT_ID.POP) return false;
  reading.next += 1;
  return true;
}

function collection(reading: Composition, node: Node, parts: readonly Piece[]): Piece {
  const weight = parts.reduce((sum, part) => sum + part.weight, 1);
  const depth = parts.reduce((most, part) => Math.max(most, part.depth), 0) + 1;
  if (depth === MOST_DEPTH + 1) refuse(reading, node, `exceeded max depth of ${MOST_DEPTH}`);
  return { node, weight, depth };
}
