import type { Handler } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { need } from '../../lib/domain/namespaces/namespaces.ts';
import { activeRuns } from '../../lib/domain/storage/keys.ts';
import { DeployedSpace, requestOf } from './deployed-space.ts';

const HELLO = 'states:\n- {id: a, type: noop}\n';

/** The functions of one process; processes share nothing but the tables. */
interface Process {
  readonly namespaces: Handler;
  readonly tree: Handler;
}

let space: DeployedSpace;
let one: Process;
let other: Process;

async function startProcess(): Promise<Process> {
  vi.resetModules();
  const { handler: namespaces } = await import('../../functions/lambdas/namespaces.ts');
  const { handler: tree } = await import('../../functions/lambdas/tree.ts');
  return { namespaces, tree };
}

const call = (handler: Handler, ...request: Parameters<typeof requestOf>) =>
  handler(requestOf(...request), { awsRequestId: 'n1' } as never, () => {}) as Promise<{
    statusCode: number;
    headers: Record<string, string>;
    body: string;
  }>;

async function createNamespace(name: string, limits?: object): Promise<void> {
  expect((await call(one.namespaces, 'PUT', `/api/namespaces/${name}`)).statusCode).toBe(200);
  const path = `/api/namespaces/${name}/tree/hello`;
  expect((await call(one.tree, 'PUT', path, HELLO, { op: 'create-workflow' })).statusCode).toBe(200);
  if (limits === undefined) return;
  const changed = await call(one.namespaces, 'PATCH', `/api/namespaces/${name}/config`, JSON.stringify({ limits }));
  expect(changed.statusCode, changed.body).toBe(200);
}

const start = ({ tree }: Process, namespace: string, op = 'execute') =>
  call(tree, 'POST', `/api/namespaces/${namespace}/tree/hello`, '{}', { op });

const statuses = (answers: readonly { readonly statusCode: number }[]) => answers.map(({ statusCode }) => statusCode);

async function begin(limits: Readonly<Record<string, string>>): Promise<void> {
  space = await DeployedSpace.open(limits);
  one = await startProcess();
  other = await startProcess();
}

afterEach(() => space.close());

describe('an installation that limits the active runs of each namespace', () => {
  // A run stays active: a machine begins it, and no machine runs here.
  beforeEach(() => begin({ WEFT_MAX_ACTIVE_RUNS: '2', WEFT_START_BUDGET_MS: '0' }));

  test('rejects a further start with 429 in all processes; another namespace is not affected', async () => {
    await createNamespace('greedy');
    await createNamespace('calm');
    const answers = [await start(one, 'greedy'), await start(other, 'greedy'), await start(other, 'greedy')];
    expect(statuses(answers)).toEqual([200, 200, 429]);
    expect(answers[2]?.body).toContain('the namespace has 2 active runs; try again later');
    expect(answers[2]?.headers['Retry-After']).toBe('5');
    expect((await start(other, 'calm')).statusCode).toBe(200);
  });

  test('has the lower of its limit and that of the namespace', async () => {
    await createNamespace('modest', { activeRuns: 1 });
    await createNamespace('bold', { activeRuns: 1000 });
    expect(statuses([await start(one, 'modest'), await start(one, 'modest')])).toEqual([200, 429]);
    const answers = [await start(one, 'bold'), await start(one, 'bold'), await start(one, 'bold')];
    expect(statuses(answers)).toEqual([200, 200, 429]);
  });
});

describe('an installation that limits the starts of each namespace', () => {
  beforeEach(() => begin({ WEFT_MAX_STARTS_PER_SECOND: '1' }));

  test('rejects those beyond it with 429, over all processes', async () => {
    await createNamespace('greedy');
    await createNamespace('calm');
    const found: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      found.push((await start(turn % 2 === 0 ? one : other, 'greedy', 'wait')).statusCode);
    }
    const admitted = found.filter((status) => status === 200).length;
    // Ten in each period of ten seconds; the starts can fall into two periods.
    expect(admitted).toBeGreaterThanOrEqual(10);
    expect(admitted).toBeLessThanOrEqual(20);
    expect(found.filter((status) => status === 429)).toHaveLength(40 - admitted);
    expect((await start(other, 'calm', 'wait')).statusCode).toBe(200);
  });
});

test('an installation without these limits counts nothing', async () => {
  await begin({});
  await createNamespace('any');
  for (let turn = 0; turn < 4; turn += 1) expect((await start(one, 'any')).statusCode).toBe(200);
  const { table } = space.database;
  const { id } = await need({ table }, 'any');
  expect(await table.get(activeRuns(id))).toEqual(activeRuns(id).map(() => undefined));
});
