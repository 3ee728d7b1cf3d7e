import { beforeEach, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { fromText, hashOf, MAX_SENT, toText } from '../../../lib/domain/logs/cursors.ts';
import type { LogRecord } from '../../../lib/domain/logs/records.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { List } from '../../../lib/domain/storage/lists.ts';
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/units.ts';
import { SEED } from '../../effort.ts';
import fc from '../../fast-check.ts';
import { LogSpace, namesOf, textsOf } from './space.ts';

const RUNS = 150;

let space: LogSpace;

beforeEach(async () => {
  space = await LogSpace.open();
});

type Action =
  | { readonly do: 'note' | 'event' | 'read' }
  | { readonly do: 'run'; readonly lasts: number }
  | { readonly do: 'rest'; readonly ms: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('note', 'event', 'read') }),
  fc.record({ do: fc.constant('run'), lasts: fc.integer({ min: 0, max: MINUTE_MS }) }),
  fc.record({ do: fc.constant('rest'), ms: fc.integer({ min: 0, max: 20 * SECOND_MS }) }),
);

/** Performs generated actions at their times, also between the queries of a reader. */
class Script {
  readonly frames: List<LogRecord>[] = [];
  readonly #actions: Action[];
  readonly #limit: number;
  readonly #query: Record<string, string[]>;
  #unstored: { readonly at: number; readonly store: () => Promise<void> }[] = [];
  #count = 0;
  #cursor: string | undefined;
  readonly #space: LogSpace;

  constructor(target: LogSpace, actions: readonly Action[], limit: number, query: Record<string, string[]>) {
    this.#space = target;
    this.#actions = [...actions];
    this.#limit = limit;
    this.#query = query;
  }

  async play(): Promise<void> {
    this.#space.between = () => this.#step(true);
    while (this.#actions.length > 0) await this.#step(false);
    this.#space.between = async () => {};
    await this.#pass(MINUTE_MS);
    await this.#read();
    await this.#read();
  }

  async #pass(ms: number): Promise<void> {
    this.#space.now += ms;
    const due = this.#unstored.filter(({ at }) => at <= this.#space.now);
    this.#unstored = this.#unstored.filter((run) => !due.includes(run));
    for (const { store } of due) await store();
  }

  async #step(isReading: boolean): Promise<void> {
    // Readings do not overlap.
    if (isReading && this.#actions[0]?.do === 'read') return;
    const next = this.#actions.shift();
    this.#count += 1;
    if (next?.do === 'note') await this.#space.note(`note ${this.#count}`);
    if (next?.do === 'event') await this.#space.receive(`e-${this.#count}`);
    if (next?.do === 'run') this.#unstored.push({ at: this.#space.now + next.lasts, store: this.#space.begin() });
    if (next?.do === 'read') await this.#read();
    await this.#pass(next?.do === 'rest' ? next.ms : 1);
  }

  async #read(): Promise<void> {
    const request = toListRequest({ ...this.#query, limit: [String(this.#limit)] });
    const { list, cursor } = await this.#space.readAfter(this.#cursor, request);
    this.frames.push(list);
    this.#cursor = cursor;
  }
}

const QUERIES = [
  {},
  { 'filter.field': ['QUERY'], 'filter.type': ['MATCH'], 'filter.val': ['w::::'] },
  { 'filter.field': ['LEVEL'], 'filter.type': ['STARTING'], 'filter.val': ['info'] },
];

describe(`reading a log with cursors while it is written (seed ${SEED})`, () => {
  test('returns every line exactly once, in whatever order lines become visible', async () => {
    const actions = fc.array(action, { maxLength: 120, size: 'max' });
    const drawn = [actions, fc.constantFrom(0, 0, 1, 3), fc.constantFrom(...QUERIES)] as const;
    const law = fc.asyncProperty(...drawn, async (some, limit, query) => {
      const target = await LogSpace.open();
      const script = new Script(target, some, limit, query);
      await script.play();
      const sent = script.frames.flatMap(namesOf);
      const all = await target.list(query);
      expect(new Set(sent).size).toBe(sent.length);
      expect([...sent].sort()).toEqual([...namesOf(all)].sort());
      for (const { results } of script.frames) {
        const times = results.map(({ t }) => Date.parse(t));
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }
      let before = 0;
      for (const { pageInfo, results } of script.frames) {
        expect(pageInfo.offset).toBe(before);
        before += results.length;
      }
      expect(script.frames.at(-1)?.pageInfo.total).toBe(sent.length);
    });
    await fc.assert(law, { numRuns: RUNS, seed: SEED });
  });
});

describe('the first reading', () => {
  beforeEach(async () => {
    for (let count = 1; count <= 5; count += 1) await space.note(`note ${count}`);
  });

  test.each([{}, { limit: ['2'] }, { limit: ['2'], offset: ['1'] }, { offset: ['9'] }, { last: ['2'] }])(
    'returns the page of the plain list: %j',
    async (query) => {
      const { list } = await space.readAfter(undefined, toListRequest(query));
      expect(list).toEqual(await space.list(query));
    },
  );

  test('is followed by the lines beyond its limit', async () => {
    const request = toListRequest({ limit: ['2'] });
    const { cursor } = await space.readAfter(undefined, request);
    const { list } = await space.readAfter(cursor, request);
    expect(textsOf(list)).toEqual(['note 3', 'note 4', 'note 5']);
    expect(list.pageInfo).toMatchObject({ offset: 2, limit: 2, total: 5 });
  });

  test('skips the lines before its offset, also lines that are written later', async () => {
    const near = toListRequest({ offset: ['4'] });
    const { cursor } = await space.readAfter(undefined, near);
    const far = toListRequest({ offset: ['7'] });
    const beyond = await space.readAfter(undefined, far);
    for (let count = 6; count <= 8; count += 1) await space.note(`note ${count}`);
    expect(textsOf((await space.readAfter(cursor, near)).list)).toEqual(['note 6', 'note 7', 'note 8']);
    const after = await space.readAfter(beyond.cursor, far);
    expect(textsOf(after.list)).toEqual(['note 8']);
    expect(after.list.pageInfo).toMatchObject({ offset: 7, total: 8 });
  });

  test('in descending order skips older lines for good', async () => {
    const request = toListRequest({ limit: ['2'], 'order.field': ['TIMESTAMP'], 'order.direction': ['DESC'] });
    const { list, cursor } = await space.readAfter(undefined, request);
    expect(textsOf(list)).toEqual(['note 5', 'note 4']);
    await space.note('note 6');
    await space.note('note 7');
    const after = await space.readAfter(cursor, request);
    expect(textsOf(after.list)).toEqual(['note 7', 'note 6']);
    expect(after.list.pageInfo.total).toBe(7);
  });
});

describe('a reading without new lines', () => {
  test('is empty, and queries each source once', async () => {
    await space.note('note');
    await space.begin()();
    space.now += 5 * MINUTE_MS;
    const { cursor } = await space.readAfter();
    space.queries.length = 0;
    const again = await space.readAfter(cursor);
    expect(again.list).toMatchObject({ results: [], pageInfo: { offset: 2, total: 2 } });
    // Written lines, runs and events of the current day and, just after midnight, of the day before.
    const days = space.queries.map(({ table, index, pk }) => `${table} ${index} ${pk}`);
    expect(new Set(days).size).toBe(days.length);
    expect(space.queries.length).toBeLessThanOrEqual(6);
    expect(space.queries.every(({ from }) => from !== undefined)).toBe(true);
  });

  test('of the log of a workflow queries its lines and the runs of the last minutes', async () => {
    await space.begin()();
    space.now += 5 * MINUTE_MS;
    const { cursor, list } = await space.readAfter(undefined, undefined, space.workflowLog);
    expect(textsOf(list)).toEqual([expect.stringMatching(/^Instance '[0-9a-f-]{36}' created by api\.$/)]);
    space.queries.length = 0;
    expect((await space.readAfter(cursor, undefined, space.workflowLog)).list.results).toEqual([]);
    expect(space.queries.length).toBeLessThanOrEqual(4);
  });
});

describe('a cursor', () => {
  test('fits into a header however many lines were sent, and repeats none', async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    for (let round = 0; round < 8; round += 1) {
      for (let count = 0; count < 200; count += 1) {
        space.now += 10;
        await space.note(`note ${round}/${count}`);
      }
      const reading = await space.readAfter(cursor);
      cursor = reading.cursor;
      expect(cursor).toMatch(/^[\w.-]{1,3300}$/);
      names.push(...namesOf(reading.list));
    }
    expect(names).toHaveLength(1600);
    expect(new Set(names).size).toBe(1600);
  });

  test('is valid for days, and returns all lines since then', async () => {
    await space.note('before');
    const { cursor } = await space.readAfter();
    for (let count = 0; count < 50; count += 1) {
      space.now += 7_200_000;
      await space.note(`note ${count}`);
    }
    const { list } = await space.readAfter(cursor);
    expect(textsOf(list)).toEqual(Array.from({ length: 50 }, (_, count) => `note ${count}`));
  });

  test('is parsed as it was written', () => {
    const sent = fc.array(fc.record({ at: fc.nat(75_000_000), hash: fc.nat(2 ** 24 - 1) }), { maxLength: MAX_SENT });
    const law = fc.property(fc.nat(), fc.nat(2 ** 31), fc.nat(2 ** 31), sent, (begin, done, total, some) => {
      const since = 1_790_000_000_000_000 + begin;
      const cursor = { since, done, total, sent: some.map(({ at, hash }) => ({ at: at + since, hash })) };
      expect(fromText(toText(cursor))).toEqual(cursor);
    });
    fc.assert(law, { seed: SEED });
  });

  test('of another kind is rejected with a message how to correct it', () => {
    const good = toText({ since: 1, done: 2, total: 3, sent: [{ at: 1, hash: hashOf('x') }] });
    for (const text of ['', '7', '4.4', good.slice(0, -1), `${good}AAAA`, `${good}=`, '../../x', 'ü', ` ${good}`]) {
      expect(() => fromText(text), text).toThrow(/is not a cursor of this log; send the id of its last event/);
    }
    const law = fc.property(fc.string(), (text) => {
      try {
        fromText(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        expect((error as ServiceError).code).toBe('malformed');
      }
    });
    fc.assert(law, { seed: SEED });
  });
});
