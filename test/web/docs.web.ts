import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { allViolationsOf, NO_VIOLATION } from './browser/axe.ts';
import { type Console, openConsole } from './browser/console.ts';

/** The documentation at /docs in a browser, with the security policy of the service. */
let console_: Console;

beforeAll(async () => {
  console_ = await openConsole();
});

beforeEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

/** Opens a page of the documentation, which is beside the console. */
const open = (path: string, narrow = false) =>
  console_.open(`../docs/${path}`, { key: null, ...(narrow ? { width: 390, height: 844 } : {}) });

test('a question is typed after a slash, and the arrows lead to the page; no other host is asked', async () => {
  const page = await open('');
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.keyboard.press('/');
  await page.keyboard.type('concurrency limit');
  // The words typed so far have results, too.
  await page.getByRole('list', { name: 'Pages found' }).getByRole('link', { name: 'Flow control' }).first().waitFor();
  await expect
    .poll(() => page.getByRole('list', { name: 'Pages found' }).getByRole('link').first().textContent())
    .toMatch(/^Flow control/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Flow control' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/docs/flow-control.html');
  expect([...hosts]).toEqual([new URL(page.url()).host]);
});

test('a search without a result says so, and Escape closes the results', async () => {
  const page = await open('states/delay');
  const search = page.getByRole('searchbox');
  await search.fill('qzxwvy');
  await page.getByRole('status').getByText('No pages found').waitFor();
  await search.fill('approval');
  await page.getByRole('list', { name: 'Pages found' }).getByRole('link').first().waitFor();
  await search.press('Escape');
  await page.getByRole('list', { name: 'Pages found' }).waitFor({ state: 'hidden' });
  await search.fill('jq');
  await search.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'jq', exact: true }).waitFor();
});

test('the theme that is chosen is kept on the next page', async () => {
  const page = await open('starts');
  await page.getByRole('button', { name: 'Light or dark' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.getByRole('button', { name: 'Light or dark' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
});

test.each(['', 'flow-control', 'examples/saga-handlers/'])('/docs/%s is for all readers', async (path) => {
  const page = await open(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
});

test('no page is wider than a screen of 390 px, where all pages are one link away', async () => {
  for (const path of ['', 'threads', 'limits', 'lint', 'decisions/', 'readme', 'console']) {
    const page = await open(path, true);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBeLessThanOrEqual(0);
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Glossary' }).waitFor();
    await page.close();
  }
});

test('the console links to the documentation, in the bar and in the palette', async () => {
  const page = await console_.open('');
  await page.getByRole('navigation', { name: 'Installation' }).getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('searchbox').waitFor();
  expect(new URL(page.url()).pathname).toBe('/docs/');
  await page.goBack();
  await page.getByRole('navigation', { name: 'Installation' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Go to Docs');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/$/);
});
