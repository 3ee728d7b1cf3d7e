import { afterEach, expect, test, vi } from 'vitest';
import { openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { candidatesOf } from '../../../lib/domain/events/candidates.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';

const { table, close } = await openLocalTable();
const owner = (id: string) => ({ namespaceId: 'ns', kind: 'wait', id }) as const;
const DETAILS = { wait: 1, mode: 'simple', path: '/w', created: 0 } as const;

afterEach(() => vi.restoreAllMocks());

async function matchingOf(n: string): Promise<string[]> {
  const event = { specversion: '1.0', id: '1', source: 's', type: 't', n } as CloudEvent;
  const found: string[] = [];
  for await (const { matching } of candidatesOf({ table }, 'ns', event))
    found.push(...matching.map((one) => one.owner));
  return found;
}

const add = (id: string, n: string) =>
  table.write(listeners.toWrites(owner(id), [{ type: 't', context: { n } }], DETAILS));

test('an index in memory is used until a listener is added or deleted', async () => {
  const query = vi.spyOn(table, 'query');
  await add('a', '1');
  await add('b', '2');
  expect(await matchingOf('1')).toEqual(['a']);
  expect(await matchingOf('2')).toEqual(['b']);
  expect(query).toHaveBeenCalledTimes(1);
  await add('c', '1');
  expect(await matchingOf('1')).toEqual(['a', 'c']);
  await table.write(listeners.toDeletions(owner('a'), [{ type: 't', context: {} }]));
  expect(await matchingOf('1')).toEqual(['c']);
  expect(await matchingOf('1')).toEqual(['c']);
  expect(query).toHaveBeenCalledTimes(3);
});

test('a part has at most 20 of the listeners that do not match', async () => {
  for (let n = 0; n < 30; n += 1) await add(`other-${n}`, 'x');
  const event = { specversion: '1.0', id: '1', source: 's', type: 't', n: 'y' } as CloudEvent;
  for (let round = 0; round < 2; round += 1) {
    const counts: number[] = [];
    for await (const { mismatches } of candidatesOf({ table }, 'ns', event)) counts.push(mismatches.length);
    expect(counts).toEqual([20]);
  }
  await close();
});
