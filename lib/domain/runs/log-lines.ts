import { parseJson } from '../../language/json-numbers.ts';
import type { Blobs } from '../../ports/blobs.ts';
import { ConflictError, type Item, type Table } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import { lastLineOf } from './items.ts';
import type { Level, LogLine, UnawaitedFailure } from './run.ts';
import { flush } from './runs.ts';
import { tailFrom, tailText } from './tails.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** A line that is not stored yet, and when it was logged, milliseconds since 1970. */
export interface UnwrittenLine {
  readonly at: number;
  readonly level: Level;
  readonly text: string;
  readonly state: string;
  /** The failure that the line is about, if nothing waited for that call: it is stored with the run too. */
  readonly unawaited?: UnawaitedFailure;
}

/** The newest failures that a run keeps. */
const MAX_UNAWAITED = 20;

/** The failures of an item with those of lines, as its attribute. */
function unawaitedIn(item: Item, added: readonly UnwrittenLine[]): { readonly unawaited?: string } {
  const more = added.flatMap(({ unawaited }) => unawaited ?? []);
  if (more.length === 0) return {};
  const before = parseJson(String(item['unawaited'] ?? '[]')) as UnawaitedFailure[];
  return { unawaited: JSON.stringify([...before, ...more].slice(-MAX_UNAWAITED)) };
}

function withLines(
  item: Item,
  added: readonly UnwrittenLine[],
): { readonly tail: readonly LogLine[]; readonly last: number } {
  const tail = tailFrom(item['tail']);
  let last = lastLineOf(item, tail);
  for (const { at, unawaited: _, ...line } of added) {
    last = Math.max(last + 1, at * 1000);
    tail.push({ t: last, ...line });
  }
  return { tail, last };
}

/**
 * Adds lines, and the failures that they are about, to a run, also after its end and concurrently with its commits. Of the rest of the run only the
 * sequence number changes, so a concurrent step has a conflict and reads the run again. Returns how many states the run
 * has entered; undefined for an unknown run.
 */
export async function append(
  { table, blobs }: Needs,
  id: string,
  added: readonly UnwrittenLine[],
): Promise<number | undefined> {
  const key = keys.run(id);
  for (;;) {
    const [item] = await table.get([key]);
    if (item === undefined) return undefined;
    const { tail, last } = withLines(item, added);
    const [flushed, updated, seq] = [Number(item['flushed'] ?? 0), Number(item['updated']), Number(item['seq'])];
    const flushedBytes = Number(item['flushedBytes'] ?? 0);
    const { run, writes } = await flush(blobs, { id, tail, flushed, flushedBytes, updated });
    const bytes = run.flushedBytes === flushedBytes ? {} : { flushedBytes: run.flushedBytes };
    const failures = unawaitedIn(item, added);
    const set = { tail: tailText(run.tail), flushed: run.flushed, ...bytes, ...failures, lastLine: last, seq: seq + 1 };
    try {
      await table.write([{ do: 'update', key, set, when: { equals: { seq } } }, ...writes]);
      return Number(item['step']);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
