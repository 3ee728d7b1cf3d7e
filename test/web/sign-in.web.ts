import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../bin/server/service.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type Issuer, startIssuer } from '../contract/issuer.ts';
import { clientOf } from '../service/access/client.ts';
import { type Console, openConsole } from './browser/console.ts';
import { untilReady } from './browser/ready.ts';

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
    await second.getByText('The sign-in failed').waitFor();
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

describe('the sign-in at an issuer', () => {
  let issuer: Issuer;
  let at: string;
  const closers = new AsyncDisposableStack();

  beforeAll(async () => {
    issuer = await startIssuer();
    closers.defer(issuer.close);
    const local = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
    const groups = { team: { permission: 'write', namespaces: ['demo'] }, staff: { permission: 'read' } } as const;
    const oidc = { issuer: issuer.url, audience: ['weft'], groups, client: issuer.client };
    const settings = { ...local, databaseEndpoint: undefined, version: packageVersion(), oidc };
    const service = await startService(settings);
    closers.defer(service.close);
    at = service.url;
    const { call } = clientOf(service.url, service.key, service.close);
    for (const name of ['demo', 'other']) await call('PUT', `/api/namespaces/${name}`);
  });

  afterAll(() => closers.disposeAsync());

  const signInWith = (page: Page) => page.getByRole('button', { name: `Sign in with ${new URL(issuer.url).host}` });
  const tokens = () => issuer.requests.get('/token') ?? 0;
  const keyOf = (page: Page) => page.evaluate(() => sessionStorage.getItem('weft.key'));

  test('leads back to the page, with the rights of the groups, and is renewed before its token ends', async () => {
    issuer.user = { claims: { groups: ['team'], email: 'ada@example.com' }, expiresIn: 8 };
    const page = await console_.open('n/demo/runs', { key: null, at });
    await signInWith(page).click();
    await heading(page, 'Runs').waitFor();
    expect(page.url()).toBe(`${at}/ui/n/demo/runs`);
    const [first, before] = [await keyOf(page), tokens()];
    await expect.poll(() => keyOf(page), { timeout: 20_000 }).not.toBe(first);
    expect(tokens()).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('is not renewed after a sign-out, also when a renewal has failed before', async () => {
    issuer.user = { claims: { groups: ['team'] }, expiresIn: 4 };
    const page = await console_.open('n/demo/runs', { key: null, at });
    await signInWith(page).click();
    await heading(page, 'Runs').waitFor();
    const before = tokens();
    issuer.fail(503);
    await expect.poll(tokens, { timeout: 20_000 }).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key').waitFor();
    issuer.fail(undefined);
    await page.waitForTimeout(11_000);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('continues after a reload, and asks again when the issuer has ended it', async () => {
    issuer.user = { claims: { groups: ['team'] }, expiresIn: 600 };
    const page = await console_.open('n/demo/runs', { key: null, at });
    await signInWith(page).click();
    await heading(page, 'Runs').waitFor();
    await page.evaluate(() => {
      sessionStorage.setItem('weft.renewal', 'ended');
      sessionStorage.setItem('weft.key', 'a.e30.c');
    });
    await page.reload();
    await signInWith(page).first().waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('offers in each namespace what the groups that include it allow', async () => {
    issuer.user = { claims: { groups: ['staff', 'team'] }, expiresIn: 600 };
    const page = await console_.open('n/demo/variables', { key: null, at });
    await signInWith(page).click();
    await heading(page, 'Variables').waitFor();
    const add = page.getByRole('button', { name: /^(New|Add)/ });
    await add.first().waitFor();
    await page.goto(`${at}/ui/n/other/variables`);
    await heading(page, 'Variables').waitFor();
    await untilReady(page);
    expect(await add.count()).toBe(0);
  });

  test('says why a user without rights is not signed in', async () => {
    issuer.user = { claims: { groups: ['others'] }, expiresIn: 600 };
    const page = await console_.open('', { key: null, at });
    await signInWith(page).click();
    await page.getByText("the claim 'groups' of the token has no group with rights here").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('redeems no code that this tab did not ask for', async () => {
    const before = tokens();
    const page = await console_.open('?code=stolen&state=other', { key: null, at });
    await signInWith(page).waitFor();
    expect(tokens()).toBe(before);
  });

  test('is not offered by a service without an issuer', async () => {
    const page = await console_.open('', { key: null });
    await page.getByLabel('Key').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button', { name: /^Sign in with/ }).count()).toBe(0);
  });
});
