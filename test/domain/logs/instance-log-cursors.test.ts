import { describe, expect, test } from 'vitest';
import * as logs from '../../../lib/domain/logs/instance-logs.ts';
import type { LogRecord } from '../../../lib/domain/logs/records.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { type ListRequest, toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { List } from '../../../lib/domain/storage/lists.ts';
import { newRun } from '../../../lib/engine/run/new-run.ts';
import { SEED } from '../../effort.ts';
import fc from '../../fast-check.ts';
import { LogSpace, textsOf } from './space.ts';

/** A run whose log grows, with older lines in the journal. */
class Growing {
  readonly space: LogSpace;
  run: runs.Run;
  #count = 0;

  private constructor(space: LogSpace) {
    this.space = space;
    this.run = { ...newRun(space.ports, { ...space.opened, readAt: space.now }, Buffer.from('{}'), 'api'), tail: [] };
  }

  static async begin(): Promise<Growing> {
    return new Growing(await LogSpace.open());
  }

  async grow(lines: number): Promise<void> {
    const added = Array.from({ length: lines }, (): runs.LogLine => {
      this.#count += 1;
      const level = this.#count % 3 === 0 ? 'error' : 'info';
      return { t: this.run.created * 1000 + this.#count, level, text: `line ${this.#count}`, state: 'a' };
    });
    const next = { ...this.run, seq: this.run.seq + 1, tail: [...this.run.tail, ...added] };
    this.run = await runs.commit(this.space.ports, next);
  }

  readAfter = (request: ListRequest, cursor?: string) => logs.readAfter(this.space.ports, this.run, request, cursor);
  list = (request: ListRequest) => logs.list(this.space.ports, this.run, request);
}

const ERRORS = { 'filter.field': ['LEVEL'], 'filter.type': ['STARTING'], 'filter.val': ['error'] };

describe(`reading the log of a run with cursors (seed ${SEED})`, () => {
  test('returns every line once, whatever the first page leaves out', async () => {
    const drawn = [
      fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('0', '1', '25'),
      fc.integer({ min: 0, max: 120 }),
      fc.constantFrom({}, ERRORS),
    ] as const;
    const law = fc.asyncProperty(...drawn, async (growth, limit, offset, query) => {
      const log = await Growing.begin();
      const request = toListRequest({ ...query, limit: [limit], offset: [String(offset)] });
      const frames: List<LogRecord>[] = [];
      let cursor: string | undefined;
      for (const lines of [...growth, 0, 0]) {
        if (lines > 0) await log.grow(lines);
        const reading = await log.readAfter(request, cursor);
        cursor = reading.cursor;
        frames.push(reading.list);
      }
      const all = textsOf(await log.list(toListRequest(query)));
      expect(frames.flatMap(textsOf)).toEqual(all.slice(offset));
      expect(frames.at(-1)?.results).toEqual([]);
      let before = offset;
      for (const { pageInfo, results } of frames) {
        expect(pageInfo.offset).toBe(before);
        before += results.length;
      }
      expect(frames.at(-1)?.pageInfo.total).toBe(all.length);
    });
    await fc.assert(law, { numRuns: 150, seed: SEED });
  });

  test('begins with the page of the plain list, also in descending order', async () => {
    const log = await Growing.begin();
    await log.grow(200);
    const order = { 'order.field': ['TIMESTAMP'], 'order.direction': ['DESC'] };
    for (const query of [{}, { limit: ['3'] }, { last: ['3'] }, { first: ['2'] }, order, { ...order, limit: ['2'] }]) {
      const request = toListRequest(query);
      expect((await log.readAfter(request)).list).toEqual(await log.list(request));
    }
    const newest = toListRequest({ ...order, limit: ['2'] });
    const { list, cursor } = await log.readAfter(newest);
    expect(textsOf(list)).toEqual(['line 200', 'line 199']);
    await log.grow(2);
    expect(textsOf((await log.readAfter(newest, cursor)).list)).toEqual(['line 202', 'line 201']);
  });

  test('sends no query when the log has no new lines', async () => {
    const log = await Growing.begin();
    await log.grow(200);
    const { cursor } = await log.readAfter(toListRequest({}));
    log.space.queries.length = 0;
    expect((await log.readAfter(toListRequest({}), cursor)).list.results).toEqual([]);
    expect(log.space.queries).toEqual([]);
  });

  test.each(['', 'x', '1', '1.2.3', '-1.0', '999.0', '1.5', '1e3.0'])('rejects the cursor %j', async (cursor) => {
    const log = await Growing.begin();
    await log.grow(4);
    await expect(log.readAfter(toListRequest({}), cursor)).rejects.toThrow('is not a cursor of this log');
  });
});
