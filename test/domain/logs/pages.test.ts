import { beforeEach, describe, expect, test, vi } from 'vitest';
import { note } from '../../../lib/domain/logs/change-lines.ts';
import { deleteLog } from '../../../lib/domain/logs/lines.ts';
import { list } from '../../../lib/domain/logs/pages.ts';
import { withEventTexts } from '../../../lib/domain/logs/sources.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as removals from '../../../lib/domain/purging/purging.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../../../lib/time/units.ts';
import { LogSpace, textsOf } from './space.ts';

const MAX_LINES = 1_000;

let space: LogSpace;

beforeEach(async () => {
  space = await LogSpace.open();
});

const notesOnDays = async (days: number, ofEach: number): Promise<string[]> => {
  const texts: string[] = [];
  for (let day = 0; day < days; day += 1) {
    for (let count = 0; count < ofEach; count += 1) {
      const text = `note ${day}/${count}`;
      await space.note(text);
      texts.push(text);
      space.now += 1;
    }
    space.now += DAY_MS;
  }
  return texts;
};

describe('a log of many days', () => {
  test('is read page by page across days', async () => {
    const all = await notesOnDays(5, 7);
    const seen: string[] = [];
    for (let offset = 0; offset < all.length; offset += 4) {
      const page = await space.list({ limit: ['4'], offset: [String(offset)] });
      expect(page.pageInfo).toMatchObject({ total: 35, hasPreviousPage: offset > 0, hasNextPage: offset + 4 < 35 });
      seen.push(...textsOf(page));
    }
    expect(seen).toEqual(all);
  });

  test('is read only for the page; the rest is counted', async () => {
    await notesOnDays(5, 30);
    space.queries.length = 0;
    const page = await space.list({ limit: ['3'], offset: ['70'] });
    expect(textsOf(page)).toEqual(['note 2/10', 'note 2/11', 'note 2/12']);
    const read = space.queries.filter(({ count }) => count !== true);
    const notes = read.filter(({ pk }) => pk.startsWith('notes#'));
    expect(notes).toHaveLength(1);
    expect(read).toHaveLength(3);
  });

  test('has the same lines on each page, whatever lines of other sources are before it', async () => {
    for (let count = 0; count < 25; count += 1) {
      await space.begin()();
      if (count % 5 === 0) await space.note(`note ${count}`);
      if (count % 9 === 0) await space.receive(`e-${count}`);
      space.now += count % 3;
    }
    const whole = await space.list();
    const seen: unknown[] = [];
    for (let offset = 0; offset < whole.results.length; offset += 4) {
      seen.push(...(await space.list({ limit: ['4'], offset: [String(offset)] })).results);
    }
    expect(seen).toEqual(whole.results);
  });

  test('counts the lines of the largest source before a page, and does not read them', async () => {
    for (let count = 0; count < 50; count += 1) {
      await space.begin()();
      space.now += 1;
    }
    await space.note('note');
    space.queries.length = 0;
    space.rowsRead = 0;
    const page = await space.list({ limit: ['3'], offset: ['45'] });
    expect(page.results).toHaveLength(3);
    // The rest of the starts, and the note.
    expect(space.rowsRead).toBe(7);
  });

  test('is paged by the cursors of older clients, which read the day of their line only', async () => {
    const all = await notesOnDays(4, 20);
    const first = await space.list({ limit: ['3'], offset: ['44'] });
    space.rowsRead = 0;
    const second = await space.list({ first: ['3'], after: [first.pageInfo.endCursor] });
    expect(textsOf(second)).toEqual(all.slice(47, 50));
    expect(second.pageInfo).toMatchObject({ total: 80, hasPreviousPage: true, hasNextPage: true });
    // The day of the cursor for its place, and of the page.
    expect(space.rowsRead).toBeLessThanOrEqual(40);
    expect(textsOf(await space.list({ last: ['2'], before: [second.pageInfo.startCursor] }))).toEqual(
      all.slice(45, 47),
    );
  });

  test('returns at most the maximum number of lines, and the others on the next page', async () => {
    const all = await notesOnDays(2, MAX_LINES / 2 + 10);
    const first = await space.list();
    expect(first.results).toHaveLength(MAX_LINES);
    expect(first.pageInfo).toMatchObject({ total: all.length, hasNextPage: true });
    expect(textsOf(await space.list({ offset: [String(MAX_LINES)] }))).toEqual(all.slice(MAX_LINES));
  });
});

describe('lines of several sources', () => {
  test('are merged by their time, also when a line becomes visible late', async () => {
    const late = space.begin();
    space.now += SECOND_MS;
    await space.note('note');
    space.now += SECOND_MS;
    await space.receive('e-1');
    await space.begin()();
    await late();
    expect(textsOf(await space.list())).toEqual([
      "Workflow 'w' has been triggered by api.",
      'note',
      "Workflow 'w' has been triggered by api.",
      'Event received: e-1 (t / s)',
    ]);
  });

  test('are not in the log of a workflow unless they are about it', async () => {
    await space.begin()();
    space.now += SECOND_MS;
    await space.note('of the namespace');
    await space.receive('e-1');
    await note(space.ports, 'workflow.update', space.opened);
    const { results } = await list(space.ports, space.workflowLog, toListRequest({}));
    expect(results.map(({ msg }) => msg)).toEqual([expect.stringContaining('created by api'), 'Updated workflow.']);
  });

  test('contain the id of an event that was removed', async () => {
    const entry = { at: 1, id: '000001768521480000#e-1', level: 'info', text: '', tags: {} } as const;
    const [read] = await withEventTexts(space.ports, [{ ...entry, event: { pk: 'gone', sk: 'gone' } }]);
    expect(read?.text).toBe('Event received: e-1');
  });
});

describe('log lines', () => {
  test('are kept for the retention of the installation', async () => {
    space.retentionDays = 3;
    const begun = space.now;
    await space.note('old');
    const [item] = (await space.memory.query(keys.notes(space.opened.namespace.id, begun))).items;
    expect(item?.['ttl']).toBe(Math.ceil(begun / 1000) + 3 * DAY_SECONDS);
    space.now += 2 * DAY_MS;
    await space.note('young');
    expect(textsOf(await space.list())).toEqual(['old', 'young']);
    space.now += 2 * DAY_MS;
    expect(textsOf(await space.list())).toEqual(['young']);
    space.retentionDays = 30;
    expect(textsOf(await space.list())).toEqual(['old', 'young']);
  });

  test('are deleted with their namespace; those of other namespaces stay', async () => {
    await notesOnDays(3, 120);
    await note(space.ports, 'namespace.create', {}, 'demo');
    const other = await namespaces.create(space.ports, 'other');
    await note(space.ports, 'namespace.variable', { namespace: other }, 'create', 'k');
    const purge = await namespaces.remove(space.ports, 'demo', true);
    await removals.finish(space.ports, purge);
    const { id } = space.opened.namespace;
    for (let ms = space.now - 5 * DAY_MS; ms <= space.now; ms += DAY_MS) {
      expect((await space.memory.query(keys.notes(id, ms))).items).toEqual([]);
    }
    const kept = await space.memory.query(keys.notes(other.id, space.now));
    expect(kept.items).toHaveLength(1);
    const ofServer = await space.memory.query(keys.notes('server', space.now));
    expect(ofServer.items).toHaveLength(1);
  });

  test('of a namespace without any are deleted without an error', async () => {
    await deleteLog(space.ports, space.opened.namespace.id);
    expect((await space.list()).results).toEqual([]);
  });

  test('that cannot be written do not fail the change, and are reported on the console', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { ports } = space;
    const table = { ...ports.table, write: () => Promise.reject(new Error('the database is away')) };
    await note({ ...ports, table }, 'workflow.update', space.opened);
    expect(report).toHaveBeenCalledWith(expect.stringContaining('Updated workflow.'), expect.any(Error));
    report.mockRestore();
  });
});
