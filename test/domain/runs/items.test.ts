import { describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { fromItem, storeParts, toItem } from '../../../lib/domain/runs/items.ts';
import { EMPTY_RECORD } from '../../../lib/domain/runs/records.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';

const ID = '01900000-0000-7000-8000-000000000001';
const PARENT = '01900000-0000-7000-8000-000000000002';

/** A run that has been stored once and has nothing unusual. */
const plain: Run = {
  ...{ id: ID, namespaceId: 'n1', namespace: 'demo', workflowId: 'w1', revision: 'r1', path: '/w', as: '/w' },
  ...{ invoker: 'api', status: 'pending', code: '', message: '', created: 1000, updated: 2000, seq: 1 },
  ...{ at: 'a', step: 1, flow: ['a'], data: { x: 1 }, input: Buffer.from('{"x":1}'), interrupted: false },
  ...{
    metadata: '',
    tail: [],
    flushed: 0,
    lastLine: 0,
    machine: 'm1',
    executions: 1,
    historyEvents: 0,
    express: false,
    entryWait: 0,
  },
  ...{ executionBegan: 1000, waitCount: 0, processedEventIds: [], depth: 0, threads: {}, outbox: [] },
  settings: { lookback: 0, broadcasts: [], logger: '' },
  tally: [],
  record: EMPTY_RECORD,
};

/** A run in which every optional part is present. */
const full: Run = {
  ...plain,
  historyEvents: 40,
  express: true,
  waitCount: 3,
  wait: {
    ...{ isWaiting: true, until: 9000 },
    calls: { total: 2, results: [{ a: 1 }, null], waiting: [{ i: 1, k: 0, s: 5 }], next: 2, returned: 1, failed: 0 },
    listening: {
      ...{ mode: 'all', filters: [{ type: 't', context: { c: 'd' } }], received: [null], since: 1500, token: 'token' },
    },
    ...{ number: 3, state: 'a', entered: 1600, origin: 1550, wake: 8000 },
  },
  processedEventIds: ['hash-1', 'hash-2'],
  parent: {
    ...{ id: PARENT, i: 1, k: 2, mode: 'or', until: 7000, token: 'of the caller' },
    retries: { codes: ['a.*'], maxAttempts: 3, delay: 5000, backoffMultiplier: 2 },
  },
  service: {
    ...{ revision: 's1', caller: PARENT, workflow: { id: 'w1', path: '/w' }, state: 'call', step: 4, iterator: 7 },
    ...{ until: 7000, files: [{ key: 'k', scope: 'workflow', name: 'n', type: 'plain' }] },
  },
  depth: 1,
  threads: { name: PARENT },
  outbox: [
    {
      message: { namespaceId: 'n1', namespace: 'demo', record: { pk: 'p', sk: 's' }, id: 'e', type: 't', source: 's' },
    },
  ],
  settings: { lookback: 60, broadcasts: ['instance.started'], logger: 'log' },
  raised: { code: 'own.code', message: 'it failed' },
};

async function stored(run: Run) {
  const blobs = memoryBlobs();
  return { blobs, item: toItem(run, await storeParts(blobs, run)) };
}

describe('the item of a run', () => {
  test('leaves out what is usual', async () => {
    const { item } = await stored(plain);
    expect(item['place']).toBe('{"began":1000}');
  });

  test('has the attribute names of every version before', async () => {
    const { item } = await stored(full);
    expect(item['place']).toBe(
      [
        '{"events":40,"brief":true,"began":1000,"pauses":3',
        '"pause":{"isWaiting":true,"until":9000',
        '"calls":{"total":2,"results":[{"a":1},null],"waiting":[{"i":1,"k":0,"s":5}],"next":2,"returned":1,"failed":0}',
        '"listening":{"mode":"all","filters":[{"type":"t","context":{"c":"d"}}],"received":[null],"since":1500,"token":"token"}',
        '"number":3,"state":"a","entered":1600,"origin":1550,"wake":8000}',
        '"heard":["hash-1","hash-2"]',
        '"parent":{"id":"01900000-0000-7000-8000-000000000002","i":1,"k":2,"mode":"or","until":7000,"token":"of the caller"',
        '"retries":{"codes":["a.*"],"most":3,"delay":5000,"multiplier":2}}',
        '"service":{"revision":"s1","caller":"01900000-0000-7000-8000-000000000002","workflow":{"id":"w1","path":"/w"}',
        '"state":"call","step":4,"iterator":7,"until":7000',
        '"files":[{"key":"k","scope":"workflow","name":"n","type":"plain"}]}',
        '"depth":1,"threads":{"name":"01900000-0000-7000-8000-000000000002"}',
        '"outbox":[{"message":{"namespaceId":"n1","namespace":"demo","record":{"pk":"p","sk":"s"},"id":"e","type":"t"',
        '"source":"s"}}]',
        '"told":{"lookback":60,"broadcasts":["instance.started"],"logger":"log"}}',
      ].join(','),
    );
    expect(Object.keys(item).join(' ')).toBe(
      'pk sk id n wf revision as invoker status code message created updated ns path seq at step flow data input ' +
        'metadata place raised interrupted tail flushed lastLine machine executions tally ttl',
    );
  });

  test.each([
    ['that is plain', plain],
    ['with every optional part', full],
  ])('of a run %s is read as it was stored', async (_, run) => {
    const { blobs, item } = await stored(run);
    expect(await fromItem(blobs, item)).toEqual({ ...run, blobs: [] });
  });
});
