import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startAnswering } from '../service/access/answering-server.ts';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilStatus } from './browser/space.ts';

const NS = 'details';
/** A deployed service bills each run. */
const CHILDREN = process.env['SERVICE_URL'] === undefined ? 2000 : 300;
const BASE = `/api/namespaces/${NS}`;

let console_: Console;

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `${BASE}/tree/${path}?op=create-workflow`, source);

const callOf = (path: string): string =>
  `functions: [{id: f, type: subflow, workflow: ${path}}]\nstates: [{id: call, type: action, action: {function: f}}]\n`;

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', BASE);
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
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

test('the settings say where alerts go, and show what the service refuses', async () => {
  const page = await console_.open(`n/${NS}/settings`);
  const alerts = page.getByRole('region', { name: 'Alerts' });
  const stored = async () => (await ask(console_.client, 'GET', `${BASE}/config`))?.['alerts'];
  const storing = alerts.getByRole('button', { name: 'Store' });
  await alerts.getByLabel('Alerts', { exact: true }).selectOption('start a workflow');
  expect(await storing.isDisabled()).toBe(true);
  await alerts.getByLabel('Path of the workflow').fill('ops/alert');
  await alerts.getByLabel('Pause between alerts').fill('soon');
  await storing.click();
  await alerts.getByText("'soon' is not an ISO 8601 duration such as PT10M").waitFor();
  await alerts.getByLabel('Pause between alerts').fill('PT10M');
  await storing.click();
  await expect.poll(stored).toEqual({ workflow: 'ops/alert', within: 'PT10M' });
  await page.getByText("'/ops/alert' does not exist").waitFor();

  await page.reload();
  expect(await alerts.getByLabel('Path of the workflow').inputValue()).toBe('ops/alert');
  await alerts.getByLabel('Alerts', { exact: true }).selectOption('go to a URL');
  await alerts.getByLabel('URL').fill('https://hooks.example.com/alerts');
  await alerts.getByLabel('Secret that signs').fill('SIGN');
  await storing.click();
  await expect.poll(stored).toEqual({ url: 'https://hooks.example.com/alerts', secret: 'SIGN', within: 'PT10M' });
  await alerts.getByLabel('Alerts', { exact: true }).selectOption('off');
  await storing.click();
  await expect.poll(stored).toBeUndefined();
});

test('the settings have the mail server, and show what the service refuses', async () => {
  const page = await console_.open(`n/${NS}/settings`);
  const mail = page.getByRole('region', { name: 'Mail server' });
  const stored = async () => (await ask(console_.client, 'GET', `${BASE}/config`))?.['mail'];
  const storing = mail.getByRole('button', { name: 'Store' });
  expect(await storing.isDisabled()).toBe(true);
  expect(await mail.getByLabel('Port').count()).toBe(0);
  await mail.getByLabel('Host').fill('smtp.example.com');
  await mail.getByLabel('Port').fill('465');
  await mail.getByLabel('Secret with the user').fill('MAIL_USER');
  await storing.click();
  await mail.getByRole('alert').getByText('mail.').waitFor();
  await mail.getByLabel('Secret with the password').fill('MAIL_PASSWORD');
  await mail.getByLabel('Sender').fill('Shop <shop@example.com>');
  await mail.getByLabel('TLS', { exact: true }).selectOption('from the start');
  await storing.click();
  const login = { user: 'MAIL_USER', password: 'MAIL_PASSWORD' };
  const server = { host: 'smtp.example.com', port: 465, tls: 'implicit', ...login, from: 'Shop <shop@example.com>' };
  await expect.poll(stored).toEqual(server);

  await page.reload();
  expect(await mail.getByLabel('Port').inputValue()).toBe('465');
  expect(await mail.getByLabel('TLS', { exact: true }).inputValue()).toBe('implicit');
  await mail.getByLabel('Port').fill('');
  await storing.click();
  await expect.poll(async () => (await stored())?.['port']).toBeUndefined();
  await mail.getByLabel('Host').fill('');
  await mail.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(stored).toBeUndefined();
});

const WAIT = 'states: [{id: wait, type: delay, duration: PT10M}]\n';

test('the queue shows the place of each run and what has the places; a cancelled run leaves it', async () => {
  await store('sync', `concurrency: {limit: 1, key: jq(.customer)}\n${WAIT}`);
  await store('paced', `rate: {limit: 1, per: PT1H}\n${WAIT}`);
  const page = await console_.open(`n/${NS}/queue`, { width: 1440, height: 900 });
  await page.getByText('No run waits to begin').waitFor();
  const runs: string[] = [];
  for (const customer of ['c-7', 'c-7', 'c-7', 'c-8']) {
    runs.push(await started(console_.client, NS, 'sync', { customer }));
  }
  const [atWork = '', second = ''] = runs;
  await started(console_.client, NS, 'paced', {});
  await started(console_.client, NS, 'paced', {});
  await page.reload();
  const rows = page.getByRole('table', { name: 'Queued runs' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  expect(await rows.nth(0).getByRole('cell').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringContaining('paced'), 'none', 'held', expect.stringContaining('rate, begins')]),
  );
  expect(await rows.nth(1).getByRole('cell').nth(1).textContent()).toBe('c-7');
  expect([
    await rows.nth(1).getByRole('cell').nth(2).textContent(),
    await rows.nth(2).getByRole('cell').nth(2).textContent(),
  ]).toEqual(['1', '2']);
  const holder = await rows.nth(1).getByRole('cell').nth(3).getByRole('link').getAttribute('href');
  expect(holder?.endsWith(atWork)).toBe(true);

  await rows.nth(1).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await untilStatus(console_.client, NS, second, 'failed');
  await page.reload();
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.nth(1).getByRole('cell').nth(2).textContent()).toBe('1');
  await rows.nth(1).getByRole('link').first().click();
  await page.getByText('Number 1 in the queue of its workflow').waitFor();
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

test(`a run with ${CHILDREN} children opens them, and says how many there are`, async () => {
  await store('drop', 'states: [{id: a, type: noop}]\n');
  const rain = `timeouts: {interrupt: PT1H, kill: PT2H}
functions: [{id: f, type: subflow, workflow: drop}]
states: [{id: all, type: foreach, array: 'jq([range(${CHILDREN})] | map({n: .}))', action: {function: f}}]
`;
  await store('rain', rain);
  const run = await started(console_.client, NS, 'rain', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}?tab=children`);
  const children = page.getByRole('region', { name: 'Children' });
  await children.getByText(`${CHILDREN.toLocaleString('en-US')} child runs, the newest 200 below`).waitFor();
  await page.getByRole('button', { name: 'Show the child runs of step 1' }).click();
  await page.getByRole('region', { name: 'Steps' }).getByRole('link', { name: /drop/ }).first().waitFor();
  expect(await page.locator('*').count()).toBeLessThan(4000);
  await children.getByRole('link', { name: 'In the list of runs' }).click();
  await page.getByText(`${CHILDREN.toLocaleString('en-US')} runs`, { exact: true }).waitFor();
  expect(await page.locator('tbody tr').count()).toBeLessThan(80);
});

test('a large output is read and shown in part, with its size, and downloaded whole', async () => {
  await store('large', `states: [{id: a, type: noop, transform: 'jq({text: ("0123456789" * 300000)})'}]\n`);
  const run = await started(console_.client, NS, 'large', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}?tab=data`);
  const output = page.getByRole('region', { name: 'Output' });
  await output.getByText(/^It has 3 MB: the first 100 kB are shown/).waitFor();
  expect((await output.locator('pre').textContent())?.length).toBeLessThan(101_000);
  expect(await output.getByRole('button', { name: 'Copy the output' }).count()).toBe(0);
  const saved = page.waitForEvent('download');
  await output.getByRole('button', { name: 'Download the output' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe(`${run}.output.json`);
  const { text } = JSON.parse(readFileSync(await download.path(), 'utf8')) as { readonly text: string };
  expect(text).toHaveLength(3_000_000);
});

test('a long text of an output opens in parts', async () => {
  await store('lines', `states: [{id: a, type: noop, transform: 'jq({text: ("a line\\n" * 50000)})'}]\n`);
  const run = await started(console_.client, NS, 'lines', {});
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}?tab=data`);
  const output = page.getByRole('list', { name: 'Output' });
  await output.locator('.json-line').first().click();
  await output.getByRole('button', { name: '49801 more' }).waitFor();
  expect(await output.getByRole('listitem').count()).toBeLessThan(210);
});

test('the event that cancels a run is shown with the run and in the diagram, and makes no waiting run of it', async () => {
  const source = `cancelOn: {type: order.cancelled, context: {order: jq(.order)}}
states: [{id: rest, type: delay, duration: PT1H}]
`;
  await store('cancellable', source);
  const run = await started(console_.client, NS, 'cancellable', { order: 'o-1' });
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByText('Cancelled by order.cancelled with order=o-1').waitFor();
  await page.getByText('cancelled by order.cancelled', { exact: true }).waitFor();
  const list = await console_.open(`n/${NS}/runs?workflow=/cancellable`);
  const row = list.getByRole('table', { name: 'Runs' }).locator('tbody tr').first();
  await row.locator('.run-status').getByText('Running').waitFor();
  await list.waitForResponse((response) => response.url().includes('/event-listeners'));
  expect(await row.textContent()).not.toContain('order.cancelled');
  const events = await console_.open(`n/${NS}/events?view=waiting`);
  await events.getByRole('table', { name: 'Listeners' }).getByText('cancels').waitFor();
});

test('the editor completes a field from the schema of the language, with its description', async () => {
  await store('typed', 'states: [{id: a, type: noop}]\n');
  const page = await console_.open(`n/${NS}/tree/typed`);
  const editor = page.getByLabel('Source of typed');
  await editor.focus();
  await editor.press('Control+End');
  await editor.pressSequentially('lab');
  await page.getByRole('option', { name: 'labels' }).waitFor();
  await page.getByText('the results are labels, by which runs are found').waitFor();
  await page.getByRole('option', { name: 'labels' }).click();
  await expect.poll(() => editor.textContent()).toContain('labels: ');
});
