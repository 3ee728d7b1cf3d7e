import { beforeEach, describe, expect, test } from 'vitest';
import * as runs from '../../../lib/domain/runs/runs.ts';
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
