import type { Blobs } from '../../ports/blobs.ts';
import type { Table, Write } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';
import { blobOf, RETENTION_DAYS, SECONDS_OF_A_DAY } from './items.ts';
import { type RecordedStep, stepsFrom, stepsText } from './records.ts';
import type { Run } from './run.ts';

/** Steps stay in the item of the run up to this many characters: a second item makes the commit a transaction. */
const MAX_TAIL_LENGTH = 4096;

/** Moves the steps that are done, except those of a loop, into the journal when they exceed `MAX_TAIL_LENGTH`. */
export async function flushRecord(blobs: Blobs, run: Run): Promise<{ readonly run: Run; readonly writes: Write[] }> {
  const { record } = run;
  const done = record.steps.filter(({ left, inLoop }) => left !== undefined && inLoop === undefined);
  const text = stepsText(done, run.created);
  if (text.length <= MAX_TAIL_LENGTH) return { run, writes: [] };
  const key = keys.recordSteps(run.id, record.flushed);
  const steps = await texts.storeText(blobs, { beginning: blobOf(run, `record-${key.sk}`) }, text);
  const ttl = Math.ceil(run.updated / 1000) + 2 * RETENTION_DAYS * SECONDS_OF_A_DAY;
  const rest = record.steps.filter((step) => !done.includes(step));
  return {
    run: { ...run, record: { ...record, steps: rest, flushed: record.flushed + 1 } },
    writes: [{ do: 'put', table: 'journal', item: { pk: key.pk, sk: key.sk, steps, ttl } }],
  };
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** Returns all recorded steps of a run, in the order in which it made them. */
export async function readSteps({ table, blobs }: Needs, run: Run): Promise<readonly RecordedStep[]> {
  const { record } = run;
  if (record.flushed === 0) return record.steps;
  const items = await readAll(table, keys.records(run.id));
  const parts = await Promise.all(items.slice(0, record.flushed).map((item) => texts.readText(blobs, item['steps'])));
  const flushed = parts.flatMap((text) => stepsFrom(text, run.created));
  return [...flushed, ...record.steps].sort((a, b) => a.n - b.n);
}
