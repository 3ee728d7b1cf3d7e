import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../service/access/client.ts';
import { allViolationsOf, NO_VIOLATION } from './browser/axe.ts';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilStatus } from './browser/space.ts';

const NS = 'many';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `${BASE}/tree/${path}?op=create-workflow`, source);

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

/** A page whose request for a job is held until the returned function is called. */
async function openHeld() {
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/instances?op=job&**', async (route) => {
    await gate;
    await route.continue();
  });
  const panel = await cancelThree(page);
  await panel.getByText('0 of 3 runs cancelled …').waitFor();
  return { page, panel, release };
}

async function cancelThree(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Cancel all…' }).click();
  const panel = page.getByRole('complementary', { name: 'Cancel runs' });
  await panel.getByRole('button', { name: 'Cancel 3 runs' }).click();
  return panel;
}

/** Lets the replies say that the job has done one of three runs, in this state. */
async function pretend(page: Page, request: string, state: 'running' | 'stopped'): Promise<void> {
  await page.route(request, async (route) => {
    const response = await route.fetch();
    const { job, ...reply } = (await response.json()) as { job: object };
    await route.fulfill({ response, json: { ...reply, job: { ...job, state, done: 1 } } });
  });
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

test('an action on many runs is stopped in the service', async () => {
  await startThree();
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  await pretend(page, '**/instances?op=job&**', 'running');
  await page.route('**/instances?op=jobs', async (route) => {
    const response = await route.fetch();
    const { jobs, ...reply } = (await response.json()) as { jobs: object[] };
    await route.fulfill({
      response,
      json: { ...reply, jobs: jobs.map((job) => ({ ...job, state: 'running', done: 1 })) },
    });
  });
  await pretend(page, '**/instances?op=stop-job&**', 'stopped');
  const panel = await cancelThree(page);
  await panel.getByText('1 of 3 runs cancelled …').waitFor();
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByText('1 of 3 runs cancelled, then stopped.').waitFor();
  await panel.getByRole('button', { name: 'Look again' }).click();
  await panel.getByRole('heading', { name: '0 runs' }).waitFor();
});

test('an action on many runs goes on when its tab is closed, and the next tab shows how it ended', async () => {
  await startThree();
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  await pretend(page, '**/instances?op=job&**', 'running');
  await page.route('**/instances?op=jobs', () => undefined);
  const panel = await cancelThree(page);
  await panel.getByText('1 of 3 runs cancelled …').waitFor();
  await page.close({ runBeforeUnload: false });
  const next = await console_.open(`n/${NS}/variables`);
  const underWay = next.getByRole('list', { name: 'Under way' });
  await underWay.getByText('3 runs cancelled.').waitFor();
  expect((await listPending())?.['instances']).toMatchObject({ pageInfo: { total: 0 } });
  // It is shown once.
  await next.reload();
  await next.getByRole('heading', { level: 1, name: 'Variables' }).waitFor();
  expect(await underWay.count()).toBe(0);
});

/** Runs a line in a shell whose `weft` is the command line of this repository. Returns what it prints. */
async function inShell(line: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-shell-'));
  const weft = join(import.meta.dirname, '..', '..', 'bin', 'weft.ts');
  const shim = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${weft}' "$@"\n`;
  writeFileSync(join(folder, 'weft'), shim, { mode: 0o755 });
  const { url: WEFT_URL, key: WEFT_KEY } = console_.client;
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, WEFT_URL, WEFT_KEY, no_proxy: '*' };
  try {
    return (await promisify(execFile)('sh', ['-c', line], { env, cwd: folder })).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The command that a panel shows. */
const commandIn = async (panel: Locator): Promise<string> =>
  String(await panel.getByRole('region', { name: 'Without a browser' }).locator('code').textContent());

test('the command that is shown before many runs are cancelled cancels the same runs', async () => {
  await startThree();
  const page = await console_.open(`n/${NS}/runs?status=pending&workflow=/rest`);
  await page.getByRole('button', { name: 'Cancel all…' }).click();
  const panel = page.getByRole('complementary', { name: 'Cancel runs' });
  await panel.getByRole('heading', { name: '3 runs' }).waitFor();
  const line = await commandIn(panel);
  const later = await started(console_.client, NS, 'rest', { n: 4 });
  const printed = await inShell(line);
  expect(printed).toMatch(/^job [0-9a-f-]{36}: 3 of 3 runs cancelled; over$/m);
  const left = rowsOf((await listPending())?.['instances']?.['results']).map(({ id }) => String(id));
  expect(left).toEqual([later]);
});

test('the command that is shown before many runs are repeated repeats the same runs', async () => {
  await store('sour', 'labels: {team: "it\'s"}\nstates: [{id: a, type: error, error: milk.sour, message: no}]\n');
  const failed: string[] = [];
  for (const n of [1, 2]) failed.push(await started(console_.client, NS, 'sour', { n }));
  for (const id of failed) await untilStatus(console_.client, NS, id, 'failed');
  const label = encodeURIComponent("team=it's");
  const page = await console_.open(`n/${NS}/runs?status=failed&workflow=/sour&since=24h&error=milk&label=${label}`);
  await page.getByRole('button', { name: 'Run all again…' }).click();
  const panel = page.getByRole('complementary', { name: 'Run again' });
  await panel.getByLabel('Revision').selectOption('latest');
  await panel.getByRole('heading', { name: '2 runs' }).waitFor();
  const line = await commandIn(panel);
  expect(line).toContain('--latest');
  await inShell(line);
  const query = 'filter.field=AS&filter.type=WORKFLOW&filter.val=sour';
  const all = await ask(console_.client, 'GET', `${BASE}/instances?${query}`);
  expect(all?.['instances']).toMatchObject({ pageInfo: { total: 4 } });
  // Runs that are repeated already are not repeated again.
  await inShell(line);
  const again = await ask(console_.client, 'GET', `${BASE}/instances?${query}`);
  expect(again?.['instances']).toMatchObject({ pageInfo: { total: 4 } });
});

test('an action on many runs is followed on when the service was away for a moment', async () => {
  await startThree();
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  await pretend(page, '**/instances?op=job&**', 'running');
  let lost = 0;
  await page.route('**/instances?op=jobs', (route) => {
    lost += 1;
    return lost > 2 ? route.continue() : route.abort();
  });
  const panel = await cancelThree(page);
  await panel.getByText('3 runs cancelled.').waitFor();
  expect(lost).toBeGreaterThan(2);
});

test('an action on many runs that could not begin says so, and begins when a person says so', async () => {
  await startThree();
  const page = await console_.open(`n/${NS}/runs?status=pending`);
  await page.route('**/instances?op=job&**', (route) => route.abort());
  const panel = await cancelThree(page);
  await panel.getByText('0 of 3 runs cancelled, then it failed.').waitFor();
  await page.unrouteAll();
  await panel.getByRole('button', { name: 'Try again' }).click();
  await panel.getByText('3 runs cancelled.').waitFor();
});

test('an action on many runs says how many are held back, and why', async () => {
  const start = 'concurrency: {limit: 1, whenFull: refuse}\n';
  const states = `states: [{id: a, type: switch, conditions: [{condition: jq(.fails), transition: b}], defaultTransition: nap},
  {id: b, type: error, error: my.code, message: no}, {id: nap, type: delay, duration: PT1H}]\n`;
  await store('narrow', start + states);
  await untilStatus(console_.client, NS, await started(console_.client, NS, 'narrow', { fails: true }), 'failed');
  await started(console_.client, NS, 'narrow', { fails: false });
  const page = await console_.open(`n/${NS}/runs?status=failed&workflow=/narrow&bulk=rerun`);
  const panel = page.getByRole('complementary', { name: 'Run again' });
  await panel.getByRole('button', { name: 'Start 1 run' }).click();
  for (const place of [panel, page.getByRole('list', { name: 'Under way' })]) {
    await place.getByText('0 of 1 run started, 1 held back …').waitFor();
    await place.getByText(/all places of the workflow '\/narrow' are taken/).waitFor();
  }
  expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByText('0 of 1 run started, 1 held back, then stopped.').waitFor();
});
