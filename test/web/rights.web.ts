import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { untilReady } from './browser/ready.ts';
import { ask, makeSpace, pagesOf, type Space } from './browser/space.ts';

let console_: Console;
let space: Space;

beforeAll(async () => {
  console_ = await openConsole();
  space = await makeSpace(console_.client, 'demo');
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const keyWith = async (permission: string): Promise<string> => {
  const made = await ask(console_.client, 'POST', '/api/keys', { name: permission, permission, namespaces: ['demo'] });
  return String(made?.['secret']);
};

/** Buttons that change the view alone, not the service. */
const READS = [
  /^(Find|Sign out|Colours|Fold the (bar|child runs of)|Namespace demo|To the content|More pages)/,
  /^(Copy|Open|Close|Clear|Download|Larger|Smaller|All in sight|All steps|Compare|Actions)\b/,
  /^(All|In progress|Queued|Complete|Failed|Crashed|Cancelled|Hour|Day|Week|Top level|All runs|Wrap long lines|\d+ new)$/,
  /^(Day by|Week by|30 days by|Revision |Show )/,
  /^(Changes|Before|After)$/,
];

/** The names of the buttons of a page that may change something. */
async function otherButtons(page: Page): Promise<string[]> {
  const names = await page
    .locator('button:not(.state, .step, .log-line, .json-line, .twig-toggle, .variable)')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''));
  return [...new Set(names.map((name) => name.trim()))].filter((name) => !READS.some((reads) => reads.test(name)));
}

test('a key with the permission read is offered nothing that writes, on any page', async () => {
  const key = await keyWith('read');
  const offered: Record<string, readonly string[]> = {};
  for (const [name, path] of Object.entries(pagesOf(space))) {
    if (['keys', 'audit', 'server', 'server services', 'playground'].includes(name)) continue;
    const page = await console_.open(path, { key });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await untilReady(page);
    const writes = requests.filter((request) => !request.startsWith('GET '));
    const found = [...(await otherButtons(page)), ...writes];
    if (found.length > 0) offered[name] = found;
    await page.close();
  }
  expect(offered).toEqual({});
});
