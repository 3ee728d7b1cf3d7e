import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { ScriptedContainers } from '../contract/scripted-containers.ts';
import { clientOf } from '../service/access/client.ts';
import { allViolationsOf, NO_VIOLATION } from './browser/axe.ts';
import { type Console, openConsole } from './browser/console.ts';
import { type BrokenWay, openProxy } from './browser/proxy.ts';
import { untilReady } from './browser/ready.ts';
import { ask, OUTSIDE, started, untilListening } from './browser/space.ts';

const NS = 'outage';
const BASE = `/api/namespaces/${NS}`;
const LOOP = `states:
- id: say
  type: noop
  log: 'jq("round " + (.round // 0 | tostring))'
  transform: 'jq(.round = (.round // 0) + 1)'
  transition: wait
- id: wait
  type: consumeEvent
  event: {type: again}
  transform: 'jq({round})'
  transition: say
`;

let console_: Console;
let proxy: BrokenWay;

beforeAll(async () => {
  console_ = await openConsole();
  proxy = await openProxy(console_.client.url);
  await ask(console_.client, 'PUT', BASE);
  await ask(console_.client, 'PUT', `${BASE}/tree/refund?op=create-workflow`, OUTSIDE['refund']);
  await console_.client.call('PUT', `${BASE}/vars/rates`, {
    body: '{"EUR": 1}',
    headers: { 'Content-Type': 'application/json' },
  });
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await proxy.close();
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const away = (page: Page) => page.getByText('The service does not answer');

/** Opens the value of a variable and writes another one, without storing it. */
async function writeRates(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Value of rates').fill('{"EUR": 2}');
}

async function storeRates(page: Page, key = console_.client.key): Promise<void> {
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('Stored rates').waitFor();
  const stored = await console_.client.call('GET', `${BASE}/vars/rates`, { key });
  expect(stored.json()).toEqual({ EUR: 2 });
}

describe('a service that is away', () => {
  test.each([
    ['the overview', `n/${NS}`],
    ['the variables', `n/${NS}/variables?name=rates`],
    ['the workers', `n/${NS}/workers`],
    ['the keys', 'keys'],
  ])('is told by %s, which follows it again', async (_, path) => {
    const page = await console_.open(path, { at: proxy.url });
    await untilReady(page);
    proxy.cut();
    if (path === 'keys') await page.getByRole('link', { name: 'Server' }).click();
    await away(page).waitFor();
    // The page shows one notice that its values are out of date, not an error in each part.
    if (path !== 'keys') expect(await page.getByRole('alert').count()).toBe(0);
    // Before the service is back: a page that has asked by itself has no such button any more.
    await page.getByRole('button', { name: 'Ask now' }).click();
    proxy.restore();
    await away(page).waitFor({ state: 'detached' });
  });

  test('takes nothing of what is typed, and is back without a press', async () => {
    const page = await console_.open(`n/${NS}/variables?name=rates`, { at: proxy.url });
    await writeRates(page);
    proxy.cut();
    await away(page).waitFor();
    expect(await page.getByLabel('Value of rates').inputValue()).toBe('{"EUR": 2}');
    expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
    proxy.restore();
    await away(page).waitFor({ state: 'detached' });
    await storeRates(page);
  });
});

describe.skipIf(process.env['SERVICE_URL'] !== undefined)('a service that is started again', () => {
  let data: string;
  let service: Service;

  const start = (port: number): Promise<Service> =>
    startService(
      {
        port,
        host: '127.0.0.1',
        data,
        apiKey: console_.client.key,
        brand: 'service',
        databaseEndpoint: undefined,
        version: packageVersion(),
      },
      {},
      { containers: new ScriptedContainers() },
    );

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'weft-outage-'));
    service = await start(0);
  });

  afterAll(async () => {
    await service.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('is followed from where it stopped: each log line and each run is shown once', async () => {
    const client = clientOf(service.url, service.key, async () => {});
    await ask(client, 'PUT', BASE);
    await ask(client, 'PUT', `${BASE}/tree/loop?op=create-workflow`, LOOP);
    const run = await started(client, NS, 'loop', {});
    await untilListening(client, NS, run);
    const page = await console_.open(`n/${NS}/runs/${run}`, { at: service.url });
    const list = await console_.open(`n/${NS}/runs`, { at: service.url });
    await page.getByText('round 0').waitFor();
    const rows = list.getByRole('table', { name: 'Runs' }).locator('tbody tr:not(.blank)');
    await rows.first().waitFor();
    await service.close();
    await away(page).waitFor();
    await away(list).waitFor();
    service = await start(Number(new URL(service.url).port));
    await client.call('POST', `${BASE}/broadcast`, {
      json: { specversion: '1.0', id: 'e-1', type: 'again', source: 'test' },
      headers: { 'Content-Type': 'application/cloudevents+json' },
    });
    await started(client, NS, 'loop', {});
    await page.getByText('round 1').waitFor();
    await away(page).waitFor({ state: 'detached' });
    const lines = await page.locator('.log-text').allInnerTexts();
    expect(lines.filter((line) => line.includes('round')).map((line) => line.replaceAll('"', ''))).toEqual([
      'round 0',
      'round 1',
    ]);
    await rows.nth(1).waitFor();
    await list.getByText('Live', { exact: true }).waitFor();
    expect(await rows.count()).toBe(2);
  });
});

/** Lets every request of a page be refused for half a minute. Returns how many were. */
async function refuseAll(page: Page): Promise<() => number> {
  let refused = 0;
  await page.route('**/api/**', (route) => {
    refused += 1;
    return route.fulfill({
      status: 429,
      headers: { 'Retry-After': '30' },
      json: { code: 429, message: 'too many requests of this key' },
    });
  });
  return () => refused;
}

describe('a service that asks to be left alone', () => {
  test('is asked again when it permits it, and not before', async () => {
    // The clock is that of all tabs, and must be there before the page sets its timers.
    const { clock } = (await console_.open('', { key: null })).context();
    await clock.install();
    onTestFinished(() => clock.resume());
    const page = await console_.open(`n/${NS}/approvals`);
    await page.getByText('0 open decisions').waitFor();
    await page.clock.pauseAt(Date.now() + 1000);
    const refused = await refuseAll(page);
    // In small steps, between which a reply is read.
    const busy = page.getByText('The service has too much to do');
    while (!(await busy.isVisible())) await page.clock.runFor(250);
    await page.getByText(/it can be tried again at \d\d:\d\d:\d\d/).waitFor();
    const before = refused();
    await page.clock.runFor(20_000);
    expect(refused()).toBe(before);
    const asked = page.waitForRequest('**/api/**');
    await page.clock.runFor(10_000);
    await asked;
    await page.unrouteAll();
    await clock.resume();
    await page.getByRole('button', { name: 'Ask now' }).click();
    await busy.waitFor({ state: 'detached' });
  });

  test('says with what a person does when it can be tried again', async () => {
    const page = await console_.open(`n/${NS}/variables?name=rates`);
    await writeRates(page);
    await refuseAll(page);
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText(/too many requests of this key; it can be tried again at \d\d:\d\d:\d\d/).waitFor();
    expect(await page.getByLabel('Value of rates').inputValue()).toBe('{"EUR": 2}');
  });
});

describe('a key that is revoked while its page is open', () => {
  const makeKey = async (permission: string) => {
    const made = await ask(console_.client, 'POST', '/api/keys', { name: permission, permission });
    return { secret: String(made?.['secret']), id: String(made?.['key']?.['id']) };
  };

  async function revokeOn(page: Page, id: string): Promise<ReturnType<Page['getByRole']>> {
    await console_.client.call('DELETE', `/api/keys/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('the key is not known').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(false);
    return dialog;
  }

  test('leaves the page and what is typed to the next key', async () => {
    const { secret, id } = await makeKey('write');
    const page = await console_.open(`n/${NS}/variables?name=rates`, { key: secret });
    await writeRates(page);
    const dialog = await revokeOn(page, id);
    expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
    await dialog.getByLabel('Key').fill(console_.client.key);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Value of rates').inputValue()).toBe('{"EUR": 2}');
    await storeRates(page);
  });

  test('leaves nothing to a key that may do less', async () => {
    const { secret, id } = await makeKey('write');
    const less = await makeKey('read');
    const page = await console_.open(`n/${NS}/variables?name=rates`, { key: secret });
    await writeRates(page);
    const dialog = await revokeOn(page, id);
    await dialog.getByLabel('Key').fill(less.secret);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Download' }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  });
});

test('a namespace that is deleted while its pages are open is told as such, and shown when it is made again', async () => {
  await ask(console_.client, 'PUT', '/api/namespaces/short');
  const pages = await Promise.all(['n/short', 'n/short/variables'].map((path) => console_.open(path)));
  for (const page of pages) {
    await untilReady(page);
    await page.getByRole('button', { name: 'Namespace short' }).waitFor();
  }
  await console_.client.call('DELETE', '/api/namespaces/short?recursive=true');
  for (const page of pages) {
    await page.getByRole('heading', { name: 'The namespace short was deleted' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  await ask(console_.client, 'PUT', '/api/namespaces/short');
  for (const page of pages) await page.getByRole('heading', { level: 1 }).waitFor();
});

test('a page with many streams leaves connections for requests: a deep tree stays usable', async () => {
  let folder = '';
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    folder = `${folder}${folder === '' ? '' : '/'}${name}`;
    await ask(console_.client, 'PUT', `${BASE}/tree/${folder}?op=create-directory`);
  }
  await ask(console_.client, 'PUT', `${BASE}/tree/${folder}/deep?op=create-workflow`, LOOP);
  const page = await console_.open(`n/${NS}/tree/${folder}/deep`);
  await page.getByRole('navigation', { name: 'Tree' }).getByRole('link', { name: 'deep' }).waitFor();
  await page.getByText('No problems').waitFor();
  await page.getByRole('link', { name: 'Revisions' }).click();
  await page.getByText('latest').first().waitFor();
});
