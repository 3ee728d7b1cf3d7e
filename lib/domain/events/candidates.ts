import type { CloudEvent } from '../../events/cloud-event.ts';
import { explainMatch, type MatchResult } from '../../events/matching.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Table } from '../../ports/table.ts';
import { ListenerIndex } from './listener-index.ts';
import * as listeners from './listeners.ts';

/** A listener that does not match an event, and why. */
export interface Mismatch {
  readonly listener: listeners.Listener;
  readonly result: MatchResult;
}

/** A part of the listeners of a type, as far as it concerns one event. */
export interface Candidates {
  /** Those that match, at most 500. */
  readonly matching: readonly listeners.Listener[];
  /** Some of those that do not match. */
  readonly mismatches: readonly Mismatch[];
  /** The position of the last listener of the part; the listeners up to it need not be considered again. */
  readonly last: string;
}

/** At most so many mismatches are in a part: they explain an event, and a large number explains no more. */
const MAX_MISMATCHES = 20;

/** The number of matching listeners of a part. */
const PART_SIZE = 500;

/** Indexes are kept for so many listeners in total, and not for a type with more. */
const MAX_INDEXED = 20_000;

interface Kept {
  readonly generation: number;
  readonly index: ListenerIndex;
}

/** The indexes of the listeners of a table, by partition; the oldest first. */
const indexes = new WeakMap<NonNullable<Table['generation']>, Map<string, Kept>>();

function keptOf(generation: NonNullable<Table['generation']>): Map<string, Kept> {
  const kept = indexes.get(generation) ?? new Map<string, Kept>();
  indexes.set(generation, kept);
  return kept;
}

function keep(kept: Map<string, Kept>, partition: string, one: Kept): void {
  kept.delete(partition);
  kept.set(partition, one);
  let total = 0;
  for (const { index } of kept.values()) total += index.size;
  for (const [oldest, { index }] of kept) {
    if (total <= MAX_INDEXED) break;
    kept.delete(oldest);
    total -= index.size;
  }
}

function select(page: readonly listeners.Listener[], event: CloudEvent): Candidates {
  const matching: listeners.Listener[] = [];
  const mismatches: Mismatch[] = [];
  for (const listener of page) {
    const result = explainMatch(listener.filter, event);
    if (result.matches) matching.push(listener);
    else if (mismatches.length < MAX_MISMATCHES) mismatches.push({ listener, result });
  }
  return { matching, mismatches, last: page.at(-1)?.at ?? '' };
}

/** Mismatches among the first listeners after a position. */
function mismatchesOf(all: readonly listeners.Listener[], event: CloudEvent, after: string): Mismatch[] {
  const mismatches: Mismatch[] = [];
  for (const listener of all) {
    if (mismatches.length >= MAX_MISMATCHES) break;
    const result = explainMatch(listener.filter, event);
    if (listener.at > after && !result.matches) mismatches.push({ listener, result });
  }
  return mismatches;
}

function* fromIndex(index: ListenerIndex, event: CloudEvent, after: string): Generator<Candidates> {
  const matching = index.matching(event).filter(({ at }) => at > after);
  const mismatches = mismatchesOf(index.all, event, after);
  for (let from = 0; from < matching.length; from += PART_SIZE) {
    const part = matching.slice(from, from + PART_SIZE);
    yield { matching: part, mismatches: from === 0 ? mismatches : [], last: part.at(-1)?.at ?? after };
  }
  if (matching.length === 0) yield { matching, mismatches, last: index.all.at(-1)?.at ?? after };
}

/**
 * Yields the listeners of an event's type after the position `after`, part by part, in their order. All listeners of the
 * type are read, or, where the table knows that none has changed, found in an index in memory by the values that they
 * demand.
 */
export async function* candidatesOf(
  ports: Pick<Ports, 'table'>,
  namespaceId: string,
  event: CloudEvent,
  after = '',
): AsyncGenerator<Candidates> {
  const { generation } = ports.table;
  const partition = listeners.partitionOf(namespaceId, event.type);
  const current = generation?.('runs', partition);
  const kept = generation && keptOf(generation);
  const known = kept?.get(partition);
  if (known !== undefined && known.generation === current) {
    yield* fromIndex(known.index, event, after);
    return;
  }
  let all: listeners.Listener[] | undefined = after === '' && kept !== undefined ? [] : undefined;
  for await (const page of listeners.of(ports, namespaceId, event.type, after)) {
    if (all !== undefined) all = all.length + page.length > MAX_INDEXED ? undefined : [...all, ...page];
    yield select(page, event);
  }
  if (all === undefined || kept === undefined || current === undefined) return;
  if (generation?.('runs', partition) === current)
    keep(kept, partition, { generation: current, index: new ListenerIndex(all) });
}
