import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilListening, untilStatus } from './browser/space.ts';

/** What a person does by thumb, on a screen of 390 px: opens a run, decides an approval, runs a failed run again. */
const NS = 'narrow';
let console_: Console;

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', `/api/namespaces/${NS}`);
  await store('parent', CALLS);
  await store('child', 'states: [{id: a, type: error, error: child.failed, message: no}]\n');
  await store(
    'ask',
    'states: [{id: ask, type: approval, subject: Ship the parcel?, choices: {approve: "", refuse: ""}}]\n',
  );
});

beforeEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const CALLS = `functions: [{id: child, type: subflow, workflow: child}]
states: [{id: call, type: action, action: {function: child}}]
`;

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `/api/namespaces/${NS}/tree/${path}?op=create-workflow`, source);

const open = (path: string): Promise<Page> => console_.open(`n/${NS}${path}`, { width: 390, height: 844 });

const status = (page: Page, word: string) => page.getByRole('heading', { level: 1 }).getByText(word);

test('opens the newest failed run from the overview, which counts top-level runs only, and runs it again', async () => {
  const run = await started(console_.client, NS, 'parent', {});
  await untilStatus(console_.client, NS, run, 'failed');
  const page = await open('');
  const newest = page.getByRole('table', { name: 'Newest runs' });
  await newest.getByText('/parent').waitFor();
  expect(await newest.getByText('/child').count()).toBe(0);
  await page.getByRole('button', { name: 'All runs' }).click();
  await newest.getByText('/child').waitFor();
  await page.getByRole('button', { name: 'Top level' }).click();
  await newest.getByText('/child').waitFor({ state: 'detached' });
  await newest.getByRole('link').first().click();
  await page.waitForURL(new RegExp(run));
  await status(page, 'Failed').waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.includes(run));
  await status(page, 'Failed').waitFor();
});

test('approves in the row', async () => {
  const run = await started(console_.client, NS, 'ask', {});
  await untilListening(console_.client, NS, run);
  const page = await open('/approvals');
  const row = page.getByRole('table', { name: 'Open approvals' }).getByRole('row').last();
  await row.getByText('Ship the parcel?').waitFor();
  await row.getByRole('button', { name: 'approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Decide approve' }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  await untilStatus(console_.client, NS, run, 'complete');
});

test('sees the failures by cause, each of which counts once, and those runs', async () => {
  const page = await open('/failures');
  const table = page.getByRole('table', { name: 'Failures by cause' });
  await table.getByText('2 × child.failed').waitFor();
  await table.getByRole('link', { name: 'child.failed' }).click();
  await page.getByRole('table', { name: 'Runs' }).getByText('/parent').first().waitFor();
  await page.getByText('2 runs', { exact: true }).waitFor();
});

test('sees when the clock starts a workflow', async () => {
  await store('nightly', "start: {type: scheduled, cron: '0 2 * * *'}\nstates: [{id: a, type: noop}]\n");
  const page = await open('/schedules');
  await page.getByRole('table', { name: 'Schedules' }).getByText('0 2 * * *').waitFor();
});

test('sees which run waits for a place, and cancels it', async () => {
  await store('sync', 'concurrency: {limit: 1}\nstates: [{id: wait, type: delay, duration: PT10M}]\n');
  await started(console_.client, NS, 'sync', {});
  const queued = await started(console_.client, NS, 'sync', {});
  const page = await open('/queue');
  const row = page.getByRole('table', { name: 'Queued runs' }).locator('tbody tr');
  await row.getByText('Number 1, queued').waitFor();
  await row.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await untilStatus(console_.client, NS, queued, 'failed');
  await page.reload();
  await page.getByText('No run waits to begin').waitFor();
});

test('the filters of the list of runs are in one row at 1440 px', async () => {
  const page = await console_.open(`n/${NS}/runs?trigger=top&status=failed`, { width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Clear' }).waitFor();
  const tops = await page
    .locator('.filter-bar > *')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2));
  expect(new Set(tops.map(Math.round)).size).toBe(1);
});
