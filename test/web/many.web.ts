import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startAnswering } from '../service/access/answering-server.ts';
import { rowsOf } from '../service/access/client.ts';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilStatus } from './browser/space.ts';

const NS = 'many';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `${BASE}/tree/${path}?op=create-workflow`, source);

const callOf = (path: string): string =>
  `functions: [{id: f, type: subflow, workflow: ${path}}]\nstates: [{id: call, type: action, action: {function: f}}]\n`;

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', BASE);
  await store('rest', 'states:\n- id: rest\n  type: delay\n  duration: PT1H\n');
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const PENDING = 'filter.field=STATUS&filter.type=MATCH&filter.val=pending';
const listPending = () => ask(console_.client, 'GET', `${BASE}/instances?${PENDING}`);

/** Three runs that wait, and no other. */
async function startThree(): Promise<void> {
  const left = rowsOf((await listPending())?.['instances']?.['results']);
  for (const { id } of left) await ask(console_.client, 'POST', `${BASE}/instances/${id}/cancel`);
  for (const n of [1, 2, 3]) await started(console_.client, NS, 'rest', { n });
}

/** A page whose requests to cancel runs are held until the returned function is called. */
async function openHeld() {
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/cancel', async (route) => {
    await gate;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Cancel all…' }).click();
  const panel = page.getByRole('complementary', { name: 'Cancel runs' });
  await panel.getByRole('button', { name: 'Cancel 3 runs' }).click();
  await panel.getByText('0 of 3 runs cancelled …').waitFor();
  return { page, panel, release };
}

test('an action on many runs goes on behind other pages when its panel is closed', async () => {
  await startThree();
  const { page, panel, release } = await openHeld();
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Variables' }).click();
  await page.getByRole('heading', { level: 1, name: 'Variables' }).waitFor();
  const underWay = page.getByRole('list', { name: 'Under way' });
  await underWay.getByText('0 of 3 runs cancelled …').waitFor();
  release();
  await underWay.getByText('3 runs cancelled.').waitFor();
  await underWay.getByRole('link', { name: `Cancel runs in ${NS}` }).click();
  await page.getByRole('complementary', { name: 'Cancel runs' }).getByText('3 runs cancelled.').waitFor();
  await underWay.getByRole('button', { name: 'Take off the list' }).click();
  await underWay.waitFor({ state: 'detached' });
});

test('an action on many runs stops after the request under way', async () => {
  await startThree();
  const { panel, release } = await openHeld();
  await panel.getByRole('button', { name: 'Stop' }).click();
  release();
  await panel.getByText('1 of 3 runs cancelled, then stopped.').waitFor();
  await panel.getByRole('button', { name: 'Look again' }).click();
  await panel.getByRole('heading', { name: '2 runs' }).waitFor();
});

test('an action on many runs whose tab was closed is offered again, and goes on', async () => {
  await startThree();
  const { page } = await openHeld();
  await page.close({ runBeforeUnload: false });
  const next = await console_.open(`n/${NS}/variables`);
  const underWay = next.getByRole('list', { name: 'Under way' });
  await underWay.getByText(/of 3 runs cancelled, then its tab was closed\./).waitFor();
  await underWay.getByRole('button', { name: 'Go on' }).click();
  await underWay.getByText(/^[23] runs cancelled\./).waitFor();
  expect((await listPending())?.['instances']).toMatchObject({ pageInfo: { total: 0 } });
  // It is offered no more.
  await next.reload();
  await next.getByRole('heading', { level: 1, name: 'Variables' }).waitFor();
  expect(await underWay.count()).toBe(0);
});

test('the tree of a run shows the runs that led to it, and unfolds those that it started', async () => {
  await store('leaf', 'states: [{id: a, type: noop}]\n');
  await store('middle', callOf('leaf'));
  await store('top', callOf('middle'));
  const run = await started(console_.client, NS, 'top', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}?tab=children`);
  const children = page.getByRole('region', { name: 'Children' });
  await children.getByRole('link', { name: 'middle' }).waitFor();
  expect(await children.getByRole('link', { name: 'leaf' }).count()).toBe(0);
  await children.getByRole('button', { name: /^Show the children of .*middle$/ }).click();
  await children.getByRole('link', { name: 'leaf' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(run));
  await page.goto(`${page.url()}?tab=children`);
  const parents = page.getByRole('region', { name: 'Parents' });
  await parents.getByRole('link', { name: 'top' }).waitFor();
  await parents.getByRole('link', { name: 'middle' }).waitFor();
  const names = await parents.getByRole('link').allInnerTexts();
  expect(names.map((name) => name.replace(/^\//, ''))).toEqual(['top', 'middle']);
  await children.getByText('None.').waitFor();
});

test('a step shows what its call over HTTP sent, and the status of the response', async () => {
  const shop = await startAnswering({ 'GET /orders': [{ json: [] }] });
  const call = `functions: [{id: shop, type: http, url: '${shop.url}/orders'}]
states: [{id: ask, type: action, action: {function: shop}}]
`;
  await store('ask', call);
  const run = await started(console_.client, NS, 'ask', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}?tab=step&step=1`);
  const calls = page.getByRole('region', { name: 'Calls' });
  await calls.getByText(`GET ${shop.url}/orders 200 in`).waitFor();
  expect(await calls.getByRole('link').count()).toBe(0);
  await shop.close();
});

test('the timeline of a run has the bars of its child runs, which lead to them, and folds them', async () => {
  await store('twig', 'states: [{id: a, type: noop}]\n');
  await store('caller', callOf('twig'));
  await store(
    'each',
    `functions: [{id: f, type: subflow, workflow: twig}]
states: [{id: all, type: foreach, array: 'jq([1, 2, 3] | map({n: .}))', action: {function: f}}]
`,
  );
  const run = await started(console_.client, NS, 'caller', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}`);
  const steps = page.getByRole('region', { name: 'Steps' });
  const child = steps.getByRole('link', { name: /twig/ });
  await child.waitFor();
  await steps.getByRole('button', { name: 'Fold the child runs of step 1' }).click();
  await child.waitFor({ state: 'detached' });
  await steps.getByRole('button', { name: 'Show the child runs of step 1' }).click();
  await child.click();
  await page.waitForURL((url) => !url.pathname.endsWith(run));
  // The children of several calls are asked for only when their step is opened.
  const many = await started(console_.client, NS, 'each', {});
  await untilStatus(console_.client, NS, many, 'complete');
  await page.goto(page.url().replace(/[^/]*$/, many));
  await steps.getByRole('button', { name: 'Show the child runs of step 1' }).click();
  await expect.poll(() => child.count()).toBe(3);
});

test('a run that waits to repeat a call says when, and how the attempt before failed', async () => {
  await store('busy', 'states: [{id: a, type: error, error: bank.busy, message: ask again later}]\n');
  await store(
    'patient',
    `functions: [{id: f, type: subflow, workflow: busy}]
states: [{id: call, type: action, action: {function: f, retries: {max_attempts: 2, delay: PT1H, codes: ['*']}}}]
`,
  );
  const run = await started(console_.client, NS, 'patient', {});
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByText(/attempt 2 of 3 (in|today|tomorrow)/).waitFor();
  await page.getByText('bank.busy').first().waitFor();
  await page.getByText('ask again later').first().waitFor();
});
