import { describe, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { fromItem, storeParts, toItem } from '../../../lib/domain/runs/items.ts';
import { EMPTY_RECORD } from '../../../lib/domain/runs/records.ts';
import type { Call, Run, WorkflowRun } from '../../../lib/domain/runs/runs.ts';

const ID = '01900000-0000-7000-8000-000000000001';
const PARENT = '01900000-0000-7000-8000-000000000002';

/** A run that has been stored once and has usual values. */
const plain: WorkflowRun = {
  kind: 'workflow',
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
  ...{ executionBegan: 1000, waitCount: 0, processedEventIds: [], depth: 0, threads: {}, outbox: {} },
  settings: { lookback: 0, broadcasts: [], logger: '' },
  tally: [],
  record: EMPTY_RECORD,
};

/** A call in which every optional part is present. */
const full: Call = {
  ...plain,
  kind: 'call',
  ...{ as: 'w', code: 'own.code', message: 'it failed', metadata: 'note', interrupted: true, executionBegan: 1200 },
  ...{ flow: ['a', 'b'], executions: 2 },
  ...{ tail: [{ t: 1_500_000, level: 'debug', text: 'one' }], flushed: 7, lastLine: 1_600_000 },
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
  callee: { kind: 'container', revision: 's1' },
  site: {
    ...{ caller: PARENT, workflow: { id: 'w1', path: '/w' }, state: 'call', step: 4, iterator: 7 },
    ...{ until: 7000, files: [{ key: 'k', scope: 'workflow', name: 'n', type: 'plain' }] },
  },
  depth: 1,
  threads: { name: PARENT },
  outbox: {
    publish: [
      {
        message: {
          ...{ namespaceId: 'n1', namespace: 'demo', record: { pk: 'p', sk: 's' }, id: 'e', type: 't', source: 's' },
        },
      },
    ],
    answer: { number: 2, tokens: ['of the wait before'] },
  },
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
    expect(item['place']).toBe('{}');
    expect(Object.keys(item).join(' ')).toBe(
      'pk sk wf revision as invoker status created updated ns seq at step data input place tail machine tally ' +
        'nsBucket order',
    );
  });

  test('has these attribute names; another name needs a reader of both', async () => {
    const { item } = await stored(full);
    expect(item['place']).toBe(
      [
        '{"historyEvents":40,"express":true,"executionBegan":1200,"waitCount":3',
        '"wait":{"isWaiting":true,"until":9000',
        '"calls":{"total":2,"results":[{"a":1},null],"waiting":[{"i":1,"k":0,"s":5}],"next":2,"returned":1,"failed":0}',
        '"listening":{"mode":"all","filters":[{"type":"t","context":{"c":"d"}}],"received":[null],"since":1500,"token":"token"}',
        '"number":3,"state":"a","entered":1600,"origin":1550,"wake":8000}',
        '"processedEventIds":["hash-1","hash-2"]',
        '"parent":{"id":"01900000-0000-7000-8000-000000000002","i":1,"k":2,"mode":"or","until":7000,"token":"of the caller"',
        '"retries":{"codes":["a.*"],"maxAttempts":3,"delay":5000,"backoffMultiplier":2}}',
        '"callee":{"kind":"container","revision":"s1"}',
        '"site":{"caller":"01900000-0000-7000-8000-000000000002","workflow":{"id":"w1","path":"/w"}',
        '"state":"call","step":4,"iterator":7,"until":7000',
        '"files":[{"key":"k","scope":"workflow","name":"n","type":"plain"}]}',
        '"depth":1,"threads":{"name":"01900000-0000-7000-8000-000000000002"}',
        '"outbox":{"publish":[{"message":{"namespaceId":"n1","namespace":"demo","record":{"pk":"p","sk":"s"},"id":"e","type":"t"',
        '"source":"s"}}]',
        '"answer":{"number":2,"tokens":["of the wait before"]}}',
        '"settings":{"lookback":60,"broadcasts":["instance.started"],"logger":"log"}}',
      ].join(','),
    );
    expect(Object.keys(item).join(' ')).toBe(
      'pk sk n wf revision as invoker status code message created updated ns path seq at step data input ' +
        'metadata place flow raised interrupted tail flushed lastLine machine executions tally ttl',
    );
  });

  test.each([
    ['that is plain', plain],
    ['with every optional part', full],
  ])('of a run %s is read as it was stored', async (_, run) => {
    const { blobs, item } = await stored(run);
    expect(await fromItem(blobs, item)).toEqual({ ...run, blobs: [] });
  });

  const line = (t: number, text: string, state?: string) => ({
    ...{ t, level: 'info' as const, text },
    ...(state === undefined ? {} : { state }),
  });
  const BEGAN = 1_768_478_400_000;
  /** A child of a `foreach` that ended where it was called. */
  const child: Run = {
    ...plain,
    ...{ namespaceId: ID, workflowId: ID, revision: ID, path: '/child', as: '/child', data: { n: 12 } },
    ...{ invoker: `instance:${PARENT}`, status: 'complete', machine: '', executions: 0, root: PARENT, depth: 1 },
    parent: { id: PARENT, i: 12, k: 0, mode: 'and', until: BEGAN + 900_000, token: '' },
    ...{ loopIndex: 12, tally: [['s0', 0, 0, []]], created: BEGAN, executionBegan: BEGAN, updated: BEGAN + 5 },
    tail: [
      line(BEGAN * 1000, `Preparing workflow triggered by instance:${PARENT}.`),
      line(BEGAN * 1000 + 3000, 'Running state logic (step:1) -- s0', 's0'),
      line(BEGAN * 1000 + 3001, 'Workflow completed.', 's0'),
    ],
    lastLine: BEGAN * 1000 + 3001,
  };

  /** The size by which DynamoDB counts units: names and texts in UTF-8, two digits of a number a byte and one more. */
  function sizeOf(item: object): number {
    const sizes = Object.entries(item).map(([name, value]) => {
      const size = typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : Buffer.byteLength(value);
      return name.length + size;
    });
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  test('of a child that ended at once is clearly below one write unit of 1,024 bytes', async () => {
    const { item, blobs } = await stored(child);
    expect(sizeOf(item)).toBeLessThan(800);
    expect(await fromItem(blobs, item)).toEqual({ ...child, blobs: [] });
  });

  const LEVELS = ['debug', 'info', 'error'] as const;
  const linesOf = (level: (typeof LEVELS)[number]) => [
    { t: 1_500_000, level, text: 'of no state' },
    { t: 1_500_001, level, text: 'of a state', state: 'a' },
  ];

  test.each(LEVELS)('holds log lines of the level %s, with and without a state', async (level) => {
    const run = { ...plain, tail: linesOf(level), lastLine: 1_500_001 };
    const { item, blobs } = await stored(run);
    expect(await fromItem(blobs, item)).toEqual({ ...run, blobs: [] });
  });

  test('holds a caller that differs from the run at the top, and one that the invoker does not name', async () => {
    for (const changed of [
      { root: ID },
      { invoker: 'api' },
      { parent: { ...child.parent, token: 't' } as Run['parent'] },
    ]) {
      const run = { ...child, ...changed } as Run;
      const { item, blobs } = await stored(run);
      expect(await fromItem(blobs, item)).toEqual({ ...run, blobs: [] });
    }
  });
});
