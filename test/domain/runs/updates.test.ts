import { beforeEach, describe, expect, test } from 'vitest';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { ConflictError } from '../../../lib/ports/table.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

let world: CountedRuns;
let stored: runs.Run;

beforeEach(async () => {
  world = new CountedRuns();
  stored = await world.begin(world.newRun(await world.namespace(), 'w'));
});

const withMachine = (run: runs.Run, machine: string): runs.Run => ({ ...run, machine });

/** Another process commits the run. */
const commitElsewhere = async (machine: string): Promise<runs.Run> => {
  const now = (await runs.find(world.needs, stored.id)) ?? stored;
  return runs.commit(world.needs, { ...now, machine, seq: now.seq + 1 });
};

describe('storing a new run', () => {
  test('commits it as number 1', async () => {
    const { id, ...run } = stored;
    const fresh = { ...run, id: id.replace(/.$/, 'f') };
    const { run: committed, isCommitted } = await runs.store(world.needs, fresh);
    expect([committed.seq, isCommitted]).toEqual([1, true]);
  });

  test('returns the run that is stored under its id already', async () => {
    const there = await commitElsewhere('other');
    expect(await runs.store(world.needs, withMachine(stored, 'own'))).toEqual({ run: there, isCommitted: false });
  });

  test('makes its namespace known by its id', async () => {
    expect(await runs.namespaceIdOf(world.needs, stored.id)).toBe(stored.namespaceId);
    expect(await runs.namespaceIdOf(world.needs, 'unknown')).toBeUndefined();
  });
});

describe('reading a run', () => {
  test('awaits what its caller wants before large data is read, and for no small one', async () => {
    const order: string[] = [];
    const get = async (key: string) => {
      order.push('read');
      return world.needs.blobs.get(key);
    };
    const beforeLarge = async (namespace: string) => {
      order.push(namespace);
    };
    const needs = { ...world.needs, blobs: { ...world.needs.blobs, get }, beforeLarge };
    await runs.find(needs, stored.id);
    expect(order).toEqual([]);
    const data = { text: 'x'.repeat(20_000) };
    await runs.update(world.needs, stored, (current) => ({ run: { ...current, data } }));
    expect((await runs.find(needs, stored.id))?.data).toEqual(data);
    expect(order).toEqual([stored.namespace, 'read']);
  });
});

describe('updating a run', () => {
  test('commits the change with the next sequence number', async () => {
    const { run, isCommitted } = await runs.update(world.needs, stored, (current) => ({
      run: withMachine(current, 'own'),
    }));
    expect([run.machine, run.seq, isCommitted]).toEqual(['own', stored.seq + 1, true]);
    expect(await runs.find(world.needs, stored.id)).toEqual(run);
  });

  test('is computed again from the run that another process committed in between', async () => {
    const there = await commitElsewhere('other');
    const seen: string[] = [];
    const { run } = await runs.update(world.needs, stored, (current) => {
      seen.push(current.machine);
      return { run: withMachine(current, `${current.machine}+own`) };
    });
    expect(seen).toEqual(['', 'other']);
    expect([run.machine, run.seq]).toEqual(['other+own', there.seq + 1]);
  });

  test('ends without a commit when there is nothing to change', async () => {
    expect(await runs.update(world.needs, stored, () => undefined)).toEqual({ run: stored, isCommitted: false });
    expect(await runs.find(world.needs, stored.id)).toEqual(stored);
  });

  test('ends when the run is not stored any more', async () => {
    await commitElsewhere('other');
    const needs = { ...world.needs, table: { ...tableOf(world), get: async () => [undefined] } };
    const updated = await runs.update(needs, stored, (current) => ({ run: withMachine(current, 'own') }));
    expect(updated).toEqual({ run: stored, isCommitted: false });
  });
});

function tableOf({ needs: { table } }: CountedRuns) {
  return {
    get: table.get.bind(table),
    query: table.query.bind(table),
    write: table.write.bind(table),
  };
}

describe('the blobs of a run', () => {
  const large = (letter: string) => ({ text: letter.repeat(20_000) });
  const keysOf = () => world.needs.blobs.list('');
  const change = (run: runs.Run, letter: string) =>
    runs.commit(world.needs, { ...run, seq: run.seq + 1, data: large(letter), input: Buffer.alloc(20_000) });

  test('that a commit supersedes are removed after it, and the input stays', async () => {
    const first = await change(stored, 'a');
    expect(await keysOf()).toEqual([...(first.blobs ?? [])].sort());
    expect(first.blobs).toHaveLength(2);
    const second = await change((await runs.find(world.needs, stored.id)) ?? first, 'b');
    expect(await keysOf()).toEqual([...(second.blobs ?? [])].sort());
    const [input, others] = [first, second].map(({ blobs }) => (blobs ?? []).filter((key) => key.includes('/input')));
    expect(input).toEqual(others);
    expect((await runs.find(world.needs, stored.id))?.data).toEqual(large('b'));
  });

  test('are those of the commit that succeeded, although another wrote the same number at the same time', async () => {
    const { table } = world.needs;
    const slow = { ...tableOf(world), write: async () => Promise.reject(new Error('ended')) };
    const first = await change(stored, 'a');
    const committed = await change(first, 'b');
    // The other process wrote its blobs, and lost.
    await expect(runs.commit({ ...world.needs, table: slow }, { ...committed, data: large('c') })).rejects.toThrow();
    expect((await runs.find({ ...world.needs, table }, stored.id))?.data).toEqual(large('b'));
  });

  test('are read again with the run when a commit removes them in between', async () => {
    await change(stored, 'a');
    const { blobs } = world.needs;
    let interrupted = false;
    const get = async (key: string) => {
      if (!interrupted) {
        interrupted = true;
        await change((await runs.find(world.needs, stored.id)) ?? stored, 'b');
      }
      return blobs.get(key);
    };
    for (const find of [
      runs.find,
      async (needs: typeof world.needs, id: string) => (await runs.findMany(needs, [id]))[0],
    ]) {
      interrupted = false;
      expect((await find({ ...world.needs, blobs: { ...blobs, get } }, stored.id))?.data).toEqual(large('b'));
      await change((await runs.find(world.needs, stored.id)) ?? stored, 'a');
    }
  });
});

describe('what moves to the journal', () => {
  const lines = (letter: string): runs.LogLine[] =>
    Array.from({ length: 60 }, (_, n) => ({ t: 1_000_000 + n, level: 'info', text: letter.repeat(100) }));
  const logging = (run: runs.Run, letter: string): runs.Run => ({ ...run, seq: run.seq + 1, tail: lines(letter) });
  const textsOf = async (run: runs.Run): Promise<Set<string>> => {
    const texts = new Set<string>();
    for await (const part of runs.logParts(world.needs, run)) for (const { text } of part) texts.add(text.charAt(0));
    return texts;
  };
  /** Counts the items of each write that succeeds; `fails` ends the process before the write of the run. */
  const tableThat = (fails: boolean, sizes: number[]) => ({
    ...tableOf(world),
    write: async (writes: Parameters<typeof world.needs.table.write>[0]) => {
      const isOfRun = writes.some((write) => write.do === 'put' && write.table === 'runs');
      if (fails && isOfRun) throw new Error('ended');
      await world.needs.table.write(writes);
      sizes.push(writes.length);
    },
  });

  test('is written before the commit, outside of a transaction', async () => {
    const sizes: number[] = [];
    const run = await runs.commit({ ...world.needs, table: tableThat(false, sizes) }, logging(stored, 'a'));
    expect(sizes).toEqual([1, 1]);
    expect([run.flushed, run.tail, await textsOf(run)]).toEqual([60, [], new Set('a')]);
  });

  test('is not seen before the commit, and is replaced by the commit that succeeds', async () => {
    const ended = runs.commit({ ...world.needs, table: tableThat(true, []) }, logging(stored, 'a'));
    await expect(ended).rejects.toThrow('ended');
    expect(await textsOf((await runs.find(world.needs, stored.id)) ?? stored)).toEqual(new Set());
    const sizes: number[] = [];
    const run = await runs.commit({ ...world.needs, table: tableThat(false, sizes) }, logging(stored, 'b'));
    // The item of the process that ended is replaced in the transaction of this commit.
    expect(sizes).toEqual([2]);
    expect(await textsOf(run)).toEqual(new Set('b'));
  });

  test('is not replaced by a process that is late', async () => {
    const late = logging(stored, 'late');
    const run = await runs.commit(world.needs, logging(stored, 'b'));
    await expect(runs.commit(world.needs, late)).rejects.toThrow(ConflictError);
    expect(await textsOf(run)).toEqual(new Set('b'));
  });
});
