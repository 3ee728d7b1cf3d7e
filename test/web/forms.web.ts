import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { ask } from './browser/space.ts';

const NS = 'forms';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', BASE);
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
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
