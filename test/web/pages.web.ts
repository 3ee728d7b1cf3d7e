import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { allViolationsOf, NO_VIOLATION } from './browser/axe.ts';
import { type Console, openConsole } from './browser/console.ts';
import { openGallery } from './browser/gallery.ts';
import type { Gateway } from './browser/gateway.ts';
import { untilDrawn, untilReady } from './browser/ready.ts';
import { makeSpace, pagesOf, type Space } from './browser/space.ts';

const NAMES = Object.keys(pagesOf({ namespace: '', complete: '', failed: '', waiting: '', event: '', asking: '' }));

let console_: Console;
let space: Space;

beforeAll(async () => {
  console_ = await openConsole();
  space = await makeSpace(console_.client, 'demo');
  await console_.client.call('PUT', '/api/namespaces/fresh');
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

test.each(NAMES)('the page %s has no violation of accessibility rules: wide, narrow, light, dark', async (name) => {
  const page = await console_.open(pagesOf(space)[name] ?? '');
  await untilReady(page);
  expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
});

test('the page of an empty namespace has no violation of accessibility rules', async () => {
  const page = await console_.open('n/fresh');
  await page.getByRole('button', { name: 'Run it' }).first().waitFor();
  await untilReady(page);
  expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
});

const PARTS = 'buttons fields values notes table log json diagram timeline texts charts'.split(' ');

describe('the gallery of parts', () => {
  let gallery: Gateway;
  beforeAll(async () => {
    gallery = await openGallery();
  });
  afterAll(() => gallery.close());

  test.each(PARTS)('has no violation of accessibility rules in the part %s', async (part) => {
    const page = await console_.open(`gallery/${part}`, { key: null, at: gallery.url });
    await page.getByRole('heading', { name: part, level: 2 }).waitFor();
    await untilDrawn(page);
    expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
  });

  test('shows text as text, whatever it holds', async () => {
    const page = await console_.open('gallery/table', { key: null, at: gallery.url });
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

test('nothing is wider than a narrow screen', async () => {
  const wide: string[] = [];
  for (const [name, path] of Object.entries(pagesOf(space))) {
    const page = await console_.open(path, { width: 390, height: 844 });
    await untilReady(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) wide.push(`${name}: ${overflow} px too wide`);
    await page.close();
  }
  expect(wide).toEqual([]);
});

test('the step of a run that waits is not below the legend of its timeline', async () => {
  for (const width of [1280, 390]) {
    const page = await console_.open(`n/demo/runs/${space.waiting}`, { width, height: 800 });
    await untilReady(page);
    const body = page.getByRole('region', { name: 'Steps' }).locator('.timeline-body');
    await body.getByRole('button').first().waitFor();
    expect(await body.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), `${width} px`).toBe(0);
  }
});

test('a first visit of a run takes six files', async () => {
  const page = await console_.open(`n/demo/runs/${space.failed}?tab=log`);
  await untilReady(page);
  const files = await page.evaluate(() =>
    performance.getEntriesByType('resource').flatMap(({ name }) => (name.includes('/assets/') ? [name] : [])),
  );
  // The page itself is one more; the browser does not list its icon.
  expect([...new Set(files)].length, files.join('\n')).toBeLessThanOrEqual(5);
});

test('an address without a page says so', async () => {
  const page = await console_.open('n/demo/nothing/here');
  await page.getByRole('heading', { name: 'No page has this address' }).waitFor();
});
