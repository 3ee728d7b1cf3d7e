import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../../../lib/compiler/compile.ts';
import type { Plan } from '../../../lib/compiler/plan/plan.ts';
import { perMillion } from '../../../lib/pricing/prices.ts';
import { priceRuns } from '../../../lib/pricing/runs.ts';
import { type Client, openClient, rowsOf } from '../access/client.ts';

const NAMESPACE = '/api/namespaces/prices';
const WAITS = 'states:\n- {id: rest, type: delay, duration: PT1H, transition: end}\n- {id: end, type: noop}\n';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
  await client.call('PUT', `${NAMESPACE}/tree/folder?op=create-directory`);
  await client.call('PUT', `${NAMESPACE}/tree/folder/waits?op=create-workflow`, { body: WAITS });
});
afterAll(() => client.close());

const planOf = (source: string): Plan => {
  const compiled = compile(source);
  if ('problems' in compiled) throw new Error(compiled.problems[0]?.message);
  return compiled.plan;
};

test('the price of runs is that of the model, and its lines add up to it', async () => {
  const reply = (await client.call('GET', `${NAMESPACE}/prices?path=/folder/waits`)).json();
  expect(reply).toMatchObject({ namespace: 'prices', region: 'us-east-1', pricedOn: expect.any(String) });
  const [waits] = rowsOf(reply['workflows']);
  const [model] = priceRuns(planOf(WAITS), 10);
  if (model === undefined) throw new Error('the model has no price');
  const [run] = rowsOf(waits?.['runs']);
  expect(run).toMatchObject({ op: model.op, least: perMillion(model.least), most: perMillion(model.most) });
  const sum = rowsOf(run?.['lines']).reduce((total, { most, price }) => total + Number(most) * Number(price), 0);
  // The sum is rounded to cents.
  expect(Math.abs(sum - perMillion(model.most))).toBeLessThan(0.006);
});

test('a path without a workflow has no price, and too many paths are rejected', async () => {
  const some = (await client.call('GET', `${NAMESPACE}/prices?path=/folder&path=/none&path=/folder/waits`)).json();
  expect(rowsOf(some['workflows']).map(({ workflow, runs }) => [workflow, rowsOf(runs).length > 0])).toEqual([
    ['/folder', false],
    ['/none', false],
    ['/folder/waits', true],
  ]);
  const many = Array.from({ length: 51 }, (_, index) => `path=/w${index}`).join('&');
  const rejected = await client.call('GET', `${NAMESPACE}/prices?${many}`);
  expect([rejected.status, rejected.json()['message']]).toEqual([400, 'path is given 51 times; at most 50 times']);
  expect((await client.call('GET', '/api/namespaces/nowhere/prices')).status).toBe(404);
});
