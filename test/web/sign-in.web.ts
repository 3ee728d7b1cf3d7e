import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../bin/server/service.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type Console, openConsole } from './browser/console.ts';

let console_: Console;

beforeAll(async () => {
  console_ = await openConsole();
  await console_.client.call('PUT', '/api/namespaces/demo');
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

describe('the sign-in', () => {
  test('takes a key that the service knows, and leads to the page of the address', async () => {
    const page = await console_.open('n/demo/runs', { key: null });
    await page.getByLabel('Key').fill(console_.client.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Runs').waitFor();
    await page.reload();
    await heading(page, 'Runs').waitFor();
  });

  test('shows the words of the service for a key that it does not know, and keeps none', async () => {
    const page = await console_.open('', { key: null });
    await page.getByLabel('Key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('the key is not known').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('is asked for again, with the reason, when the key was deleted meanwhile', async () => {
    const made = await console_.client.call('POST', '/api/keys', { json: { name: 'short', permission: 'read' } });
    const { key, secret } = made.json();
    const page = await console_.open('n/demo/runs', { key: String(secret) });
    await heading(page, 'Runs').waitFor();
    await console_.client.call('DELETE', `/api/keys/${key?.['id']}`);
    // The page is live, so no button has to be pressed.
    await page.getByLabel('Key').waitFor();
    await page.getByText('The session ended').waitFor();
  });

  test('happens by a link once, and the address keeps no code', async () => {
    const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
    await using closers = new AsyncDisposableStack();
    const service = await startService({ ...local, databaseEndpoint: undefined, version: packageVersion() });
    closers.defer(service.close);
    const [at = '', path = ''] = service.signInLink().split('/ui/');
    const page = await console_.open(path, { key: null, at });
    await heading(page, 'Overview').or(heading(page, 'Namespaces')).first().waitFor();
    expect(new URL(page.url()).hash).toBe('');
    const second = await console_.open(path, { key: null, at });
    await second.getByText('The link does not sign in').waitFor();
    await second.getByText('the link was used before').waitFor();
    expect(await second.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('keeps the key in its tab alone', async () => {
    const page = await console_.open('n/demo/runs');
    await heading(page, 'Runs').waitFor();
    const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie]);
    expect(kept.join()).not.toContain(console_.client.key);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
