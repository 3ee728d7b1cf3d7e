import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

test('each retry of a call is logged at the time at which it happened', async () => {
  const world = new World(database);
  await world.store({
    kid: 'states: [{id: a, type: error, error: k.bad, message: m}]',
    main: `functions: [{id: f, type: subflow, workflow: kid}]
states: [{id: a, type: action, action: {function: f, retries: {max_attempts: 2, delay: PT10S, codes: ['.*']}}}]
`,
  });
  const { id, created } = await world.execute('main', '{}');
  await world.pass();
  const main = await runs.find(world.reliable, id);
  const lines = (main?.tail ?? []).map(({ t, text }) => [
    Math.round(t / 1_000_000 - created / 1000),
    text.replaceAll(/'[0-9a-f-]{36}'/g, 'C'),
  ]);
  const failed = (after: number) => [
    [after, 'Child C returned.'],
    [after, "Action raised catchable error 'k.bad': m."],
  ];
  const retried = (after: number) => [
    [after, 'Scheduling retry attempt in: 10s.'],
    [after + 10, 'Waking up to retry.'],
    [after + 10, 'Retrying...'],
  ];
  expect(lines.slice(lines.findIndex(([, text]) => text === 'Child C returned.'))).toEqual([
    ...[...failed(0), ...retried(0)],
    ...[...failed(10), ...retried(10)],
    ...[
      ...failed(20),
      [20, expect.stringMatching(/'service.retries.exceeded': .* the last attempt failed with 'k.bad': m$/)],
    ],
    [20, expect.stringMatching(/^Where: /)],
  ]);
  await world.close();
});
