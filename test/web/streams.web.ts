import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { type BrokenWay, openProxy } from './browser/proxy.ts';
import { ask, started, untilListening } from './browser/space.ts';

const NS = 'streams';
const LOOP = `states:
- id: say
  type: noop
  log: 'jq("round " + (.round // 0 | tostring))'
  transform: 'jq(.round = (.round // 0) + 1)'
  transition: wait
- id: wait
  type: consumeEvent
  event: {type: again, context: {loop: jq(.loop)}}
  transform: 'jq({round, loop})'
  transition: say
`;

let console_: Console;
let proxy: BrokenWay;

beforeAll(async () => {
  console_ = await openConsole();
  proxy = await openProxy(console_.client.url);
  await ask(console_.client, 'PUT', `/api/namespaces/${NS}`);
  await ask(console_.client, 'PUT', `/api/namespaces/${NS}/tree/loop?op=create-workflow`, LOOP);
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await proxy.close();
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const goOn = (id: string, loop: string) =>
  console_.client.call('POST', `/api/namespaces/${NS}/broadcast`, {
    json: { specversion: '1.0', id, type: 'again', source: 'test', loop },
    headers: { 'Content-Type': 'application/cloudevents+json' },
  });

const linesWith = async (page: Page, word: string): Promise<string[]> => {
  const all = await page.locator('.log-text').allInnerTexts();
  return all.map((line) => line.replaceAll('"', '')).filter((line) => line.startsWith(word));
};

test('a page whose connections are lost says so, resumes, and shows each line once', async () => {
  const run = await started(console_.client, NS, 'loop', { loop: 'a' });
  await untilListening(console_.client, NS, run);
  const page = await console_.open(`n/${NS}/runs/${run}`, { at: proxy.url });
  await page.getByText('round 0').waitFor();
  proxy.cut();
  await page.getByText('Reconnecting').waitFor();
  await goOn('e-1', 'a');
  proxy.restore();
  await page.getByText('round 1').waitFor();
  await untilListening(console_.client, NS, run);
  await goOn('e-2', 'a');
  await page.getByText('round 2').waitFor();
  expect(await linesWith(page, 'round')).toEqual(['round 0', 'round 1', 'round 2']);
});

test('a list whose connections are lost shows each run once', async () => {
  const page = await console_.open(`n/${NS}/runs`, { at: proxy.url });
  const rows = page.getByRole('table', { name: 'Runs' }).locator('tbody tr:not(.blank)');
  await rows.first().waitFor();
  const before = await rows.count();
  proxy.cut();
  await page.getByText('Reconnecting').waitFor();
  await started(console_.client, NS, 'loop', { loop: 'b' });
  proxy.restore();
  await page.waitForFunction((count) => document.querySelectorAll('tbody tr:not(.blank)').length === count, before + 1);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await rows.count()).toBe(before + 1);
});

const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);

test('a tab that is hidden for five seconds closes its streams, and opens them when it is shown again', async () => {
  const run = await started(console_.client, NS, 'loop', { loop: 'c' });
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByText('round 0').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  const closed: string[] = [];
  page.on('requestfailed', (request) => closed.push(request.url()));
  const isLog = (url: string): boolean => url.endsWith('/logs') || url.includes('/logs?');
  await setHidden(page, true);
  await page.clock.runFor(4900);
  expect(closed).toEqual([]);
  const lost = page.waitForEvent('requestfailed', (request) => isLog(request.url()));
  await page.clock.runFor(200);
  await lost;
  await setHidden(page, false);
  const opened = page.waitForRequest((request) => isLog(request.url()));
  await page.clock.runFor(20_000);
  await opened;
  // The clock is that of all tabs.
  await page.clock.resume();
});

test('a service that sends an event stream in one piece is asked again at ease', async () => {
  const run = await started(console_.client, NS, 'loop', { loop: 'd' });
  await untilListening(console_.client, NS, run);
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByText('round 0').waitFor();
  const reply = await ask(console_.client, 'GET', `/api/namespaces/${NS}/instances/${run}`);
  let asked = 0;
  await page.route(`**/instances/${run}`, (route) => {
    asked += 1;
    return route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(reply)}\n\n` });
  });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  const next = async () => {
    const finished = page.waitForEvent('requestfinished', (request) => request.url().endsWith(run));
    // In small steps: a reply that comes while the clock runs on would be followed by the next request.
    for (const before = asked; asked === before; ) await page.clock.runFor(50);
    await finished;
    // Time stands still: tasks that no clock delays let the page read the reply to its end.
    await page.evaluate(async () => {
      for (let tasks = 0; tasks < 20; tasks += 1) await fetch(document.baseURI);
    });
    return asked;
  };
  await setHidden(page, true);
  await page.clock.runFor(5100);
  await setHidden(page, false);
  const before = await next();
  await page.clock.runFor(1200);
  expect(asked).toBe(before);
  expect(await next()).toBe(before + 1);
  await page.clock.resume();
});
