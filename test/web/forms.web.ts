import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../service/access/client.ts';
import { type Console, openConsole } from './browser/console.ts';
import { ask } from './browser/space.ts';

const NS = 'forms';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;

const send = (method: string, path: string, body?: unknown) => ask(console_.client, method, `${BASE}${path}`, body);

const configure = (config: object) => send('PATCH', '/config', config);

const storedConfig = () => send('GET', '/config');

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', BASE);
  await send('PUT', '/tree/plain?op=create-workflow', 'states: [{id: a, type: noop}]\n');
  for (const tag of ['one', 'two']) await send('POST', '/tree/plain?op=tag&ref=latest', { tag });
  await send('POST', '/eventfilter/first', 'return event;');
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

interface Hold {
  /** Waits until a request is held back. */
  readonly reached: Promise<void>;
  /** Lets it go on, and waits until the page has drawn what it read. */
  readonly release: () => Promise<void>;
}

/** Holds back what the page reads at an address. */
async function hold(page: Page, address: RegExp): Promise<Hold> {
  const [reached, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') {
      reached.resolve();
      await open.promise;
    }
    await route.continue();
  });
  const release = async () => {
    const read = page.waitForResponse((reply) => address.test(reply.url()) && reply.request().method() === 'GET');
    open.resolve();
    await (await read).finished();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  };
  return { reached: reached.promise, release };
}

interface FormCase {
  readonly region: string;
  readonly field: string;
  readonly first: string;
  readonly second: string;
  readonly before: object;
  readonly after: object;
}

const FORMS: readonly FormCase[] = [
  {
    region: 'Events before a wait',
    field: 'Waits look back',
    first: 'PT120M',
    second: 'PT3H',
    before: { events: { lookback: 'PT1H' } },
    after: { events: { lookback: 'PT3H' } },
  },
  {
    region: 'Alerts',
    field: 'Pause between alerts',
    first: 'PT20M',
    second: 'PT30M',
    before: { alerts: { workflow: '/plain', within: 'PT10M' } },
    after: { alerts: { workflow: '/plain', within: 'PT30M' } },
  },
  {
    region: 'Mail server',
    field: 'Port',
    first: '465',
    second: '2525',
    before: { mail: { host: 'smtp.example.com', port: 587 } },
    after: { mail: { host: 'smtp.example.com', port: 2525 } },
  },
];

test.each(FORMS)('what is written in $region while the stored settings are read stays', async (form) => {
  await configure(form.before);
  const page = await console_.open(`n/${NS}/settings`);
  const region = page.getByRole('region', { name: form.region, exact: true });
  const field = region.getByLabel(form.field, { exact: true });
  const storing = region.getByRole('button', { name: 'Store' });
  await field.fill(form.first);
  const reading = await hold(page, /\/config$/);
  await storing.click();
  await reading.reached;
  await field.fill(form.second);
  await reading.release();
  expect(await field.inputValue()).toBe(form.second);
  await storing.click();
  await expect.poll(storedConfig).toMatchObject(form.after);
  await expect.poll(() => storing.isDisabled()).toBe(true);
});

test('a stored setting is shown as the service has it, also where that is what it was', async () => {
  await configure({ events: { lookback: 'PT1H' } });
  const page = await console_.open(`n/${NS}/settings`);
  const region = page.getByRole('region', { name: 'Events before a wait' });
  const field = region.getByLabel('Waits look back');
  for (const [written, shown] of [
    ['PT120M', 'PT2H'],
    ['PT7200S', 'PT2H'],
    ['PT0S', ''],
  ] as const) {
    await field.fill(written);
    await region.getByRole('button', { name: 'Store' }).click();
    await expect.poll(() => field.inputValue()).toBe(shown);
    expect(await region.getByRole('button', { name: 'Store' }).isDisabled()).toBe(true);
  }
});

test('settings that another client stored appear, except where the user has written something', async () => {
  await configure({ events: { lookback: 'PT1H' }, alerts: { workflow: '/plain' }, mail: { host: 'one.example.com' } });
  const page = await console_.open(`n/${NS}/settings`);
  await page.getByLabel('Waits look back').fill('PT5M');
  await page.getByLabel('Sender').fill('shop@example.com');
  await configure({
    events: { lookback: 'PT9M' },
    alerts: { url: 'https://a.example.com/' },
    mail: { host: 'two.example.com' },
  });
  // A switch takes effect at once, upon which the page reads the settings.
  await page.getByLabel('late').click();
  await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('https://a.example.com/');
  expect(await page.getByLabel('Waits look back').inputValue()).toBe('PT5M');
  expect(await page.getByLabel('Sender').inputValue()).toBe('shop@example.com');
  expect(await page.getByLabel('Host').inputValue()).toBe('one.example.com');
});

/** Labels the workflow, and waits until the page shows that: it has then the state that was stored before, too. */
async function untilSeen(page: Page, label: string): Promise<void> {
  await send('PUT', '/tree/plain?op=create-node-attributes', { attributes: [label] });
  await page.getByText(label, { exact: true }).first().waitFor();
}

test('a name of the logger that is being written stays when another one is stored', async () => {
  const page = await console_.open(`n/${NS}/tree/plain?tab=settings`);
  const field = page.getByLabel('Name of the logger');
  await field.fill('mine');
  await send('POST', '/tree/plain?op=set-workflow-event-logging', { logger: 'theirs' });
  await untilSeen(page, 'logged');
  expect(await field.inputValue()).toBe('mine');
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe('theirs');
});

test('a division of starts that is being chosen stays when the workflow changes', async () => {
  const page = await console_.open(`n/${NS}/tree/plain?tab=revisions`);
  const traffic = page.getByRole('region', { name: 'Traffic' });
  await traffic.getByLabel('First').selectOption('one');
  await traffic.getByLabel('Second').selectOption('two');
  await untilSeen(page, 'divided');
  expect(await traffic.getByLabel('First').inputValue()).toBe('one');
  expect(await traffic.getByLabel('Second').inputValue()).toBe('two');
  await traffic.getByRole('button', { name: 'Divide starts' }).click();
  await traffic.getByRole('img', { name: 'one 80, two 20' }).waitFor();
});

test('a filter that is being written stays when another one is stored or deleted', async () => {
  await send('POST', '/eventfilter/second', 'return null;');
  const page = await console_.open(`n/${NS}/events?view=filters`);
  await page.getByRole('button', { name: 'New filter' }).click();
  await page.getByLabel('Name', { exact: true }).fill('third');
  await page.getByRole('button', { name: 'Edit first' }).click();
  await page.getByLabel('Script of first').fill('return {...event, first: 1};');
  await page.getByRole('button', { name: 'Edit second' }).click();
  await page.getByLabel('Script of second').fill('return event; // stored');
  const second = page.getByRole('listitem').filter({ hasText: '/second' });
  await second.getByRole('button', { name: 'Store' }).click();
  await second.getByText('return event; // stored').waitFor();
  await page.getByRole('button', { name: 'Delete second' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await second.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Script of first').inputValue()).toBe('return {...event, first: 1};');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('third');
});

test('an event that is being written stays when the one before it has been read', async () => {
  const event = { specversion: '1.0', id: 'e-1', source: 'shop', type: 'order.sent' };
  await send('POST', '/broadcast', event);
  const [sent] = rowsOf((await send('GET', '/events'))?.['events']?.['results']);
  const page = await console_.open(`n/${NS}`);
  const reading = await hold(page, /\/event-listeners/);
  await page.goto(`${page.url().replace(/\/n\/.*/, '')}/n/${NS}/events/${String(sent?.['id'])}?send=order.sent`);
  await page.getByLabel('Source', { exact: true }).fill('mine');
  await reading.reached;
  await reading.release();
  await page.getByRole('region', { name: 'Templates' }).waitFor();
  expect(await page.getByLabel('Source', { exact: true }).inputValue()).toBe('mine');
});

test('a form that is submitted again before the reply sends one request', async () => {
  const page = await console_.open(`n/${NS}/settings`);
  const open = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route(/\/config$/, async (route) => {
    if (route.request().method() === 'PATCH') {
      sent.push(route.request().postData() ?? '');
      await open.promise;
    }
    await route.continue();
  });
  const field = page.getByLabel('Waits look back');
  await field.fill('PT4H');
  await field.press('Enter');
  await field.press('Enter');
  await expect.poll(() => sent.length).toBe(1);
  open.resolve();
  await page.getByText('Stored', { exact: true }).waitFor();
  expect(sent).toEqual(['{"events":{"lookback":"PT4H"}}']);
});

test('a key is listed as soon as it is created, and no more when it is deleted', async () => {
  const page = await console_.open('keys');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('robot');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /^robot/ });
  await row.waitFor();
  await page.getByRole('button', { name: 'Delete robot' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('what could not be read is read again by the button of its error', async () => {
  const page = await console_.open('');
  await page.route(/\/usage$/, (route) => route.fulfill({ status: 400, json: { code: 400, message: 'refused' } }));
  await page.goto(`${page.url().replace(/\/$/, '')}/n/${NS}/settings`);
  const retry = page.getByRole('region', { name: 'Quotas' }).getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await page.unroute(/\/usage$/);
  await retry.click();
  await retry.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Quotas' }).getByRole('definition').first().waitFor();
});
