import { expect, test } from 'vitest';
import * as labelKeys from '../../../lib/domain/storage/keys/label-keys.ts';
import * as listenerKeys from '../../../lib/domain/storage/keys/listener-keys.ts';
import { isSpread } from '../../../lib/domain/storage/keys/spread-keys.ts';
import * as workerKeys from '../../../lib/domain/storage/keys/worker-keys.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';

const ID = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';
const NOW = Date.UTC(2026, 0, 15, 12);
const home = { id: ID, spread: [{ from: 0, partitions: 12 }] };

/** All partition keys of the lists that are spread over twelve partitions. */
const SPREAD = [
  keys.runsBegun(home, NOW),
  keys.runsEnded(home, NOW),
  keys.eventsReceived(home, NOW),
  ...keys.eventsOfType(home, `odd#${ID}#2026-01-15`, NOW, NOW),
  labelKeys.labelledRuns(home, { name: 'team', value: '#' }, NOW),
  listenerKeys.ofNamespace(home),
  { pks: Array.from({ length: 12 }, (_, number) => listenerKeys.ofType(ID, 'paid', number).pk) },
  workerKeys.openTasks(home),
  workerKeys.endedTasks(home, NOW),
].flatMap(({ pks }) => pks);

test('the keys of all partitions of a namespace are known as such, and only for that namespace', () => {
  expect(SPREAD).toHaveLength(9 * 12);
  expect(SPREAD.filter((pk) => !isSpread(ID, pk))).toEqual([]);
  const other = ID.replace('0192', '0193');
  expect(SPREAD.filter((pk) => isSpread(other, pk))).toEqual([]);
});

test('keys that more partitions would not relieve are others', () => {
  const others = [
    keys.namespace('demo').pk,
    keys.run(ID).pk,
    keys.openRuns(ID).pk,
    keys.counters(ID).pk,
    listenerKeys.byValue(ID, 'paid')[1]?.pk ?? '',
    listenerKeys.descriptionsOfAll(ID).pk,
    workerKeys.unfinishedTasks(ID).pk,
    ID,
  ];
  expect(others.filter((pk) => isSpread(ID, pk))).toEqual([]);
});
