import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { IS_FULL } from '../../effort.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

// Reports of ends that could not be stored are logged and repeated.
vi.spyOn(console, 'error').mockReturnValue();

const NAP = 'timeouts: {interrupt: PT48H}\nstates: [{id: nap, type: delay, duration: PT10S}]\n';
const CALL = `timeouts: {interrupt: PT48H}
functions: [{id: kid, type: subflow, workflow: kid}]
`;

/** Each waits in another way, and begins and ends its waits during the outage. */
const SOURCES: Readonly<Record<string, string>> = {
  'a delay': `timeouts: {interrupt: PT48H}
states:
- {id: one, type: delay, duration: PT3S, transition: two}
- {id: two, type: delay, duration: PT20S}
`,
  'an action': `${CALL}states: [{id: go, type: action, timeout: PT48H, action: {function: kid}}]\n`,
  'a foreach': `${CALL}states:
- {id: go, type: foreach, timeout: PT48H, array: 'jq([range(5) | {n: .}])', action: {function: kid}}
`,
  'a parallel': `${CALL}states:
- {id: go, type: parallel, timeout: PT48H, actions: [{function: kid}, {function: kid}]}
`,
  'a retry': `${CALL}states:
- id: go
  type: action
  timeout: PT48H
  action: {function: kid, retries: {max_attempts: 3, delay: PT5S, codes: ['.*']}}
`,
};

class DatabaseDownError extends Error {
  override readonly name = 'TimeoutError';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Whether the run of a workflow completes when the database is down for a time, milliseconds after its start. */
async function statusAfter(source: string, from: number, length: number) {
  const world = new World(database);
  try {
    await world.store({ main: source, kid: NAP });
    await world.execute('main', '{}');
    const begin = world.time.clock.now() + from;
    world.process.onCall = (name) => {
      const now = world.time.clock.now();
      if (name.startsWith('table.') && now >= begin && now < begin + length) throw new DatabaseDownError('no answer');
    };
    await world.pass();
    const open = unfinishedOf(world);
    const found = (await runsOf(world)).map(({ status }) => status);
    return { statuses: [...new Set(found)], open };
  } finally {
    await world.close();
  }
}

const LENGTHS = IS_FULL ? [5 * SECOND, 20 * SECOND, MINUTE, HOUR, 5 * HOUR] : [20 * SECOND, MINUTE, 5 * HOUR];

describe('a run survives an outage of the database', () => {
  test.each(Object.entries(SOURCES))('during %s', async (_name, source) => {
    for (const length of LENGTHS) {
      for (const from of [0, 2 * SECOND, 9 * SECOND, 12 * SECOND]) {
        const found = await statusAfter(source, from, length);
        expect({ from, length, ...found }).toEqual({ from, length, statuses: ['complete'], open: [] });
      }
    }
  });
});
