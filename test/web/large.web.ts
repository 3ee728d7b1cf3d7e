import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilStatus } from './browser/space.ts';

const NS = 'large';
/** A deployed service bills each run. */
const RUNS = process.env['SERVICE_URL'] === undefined ? 10_000 : 300;
const ROUNDS = 2500;
const AT_ONCE = 40;

const ONE = 'states:\n- id: a\n  type: noop\n';
const FAILING = 'states:\n- id: a\n  type: error\n  error: order.bad\n  message: no card\n';
/** Two steps a round. */
const LOOP = `timeouts: {interrupt: PT1H, kill: PT2H}
states:
- id: count
  type: noop
  transform: 'jq(.round = (.round // 0) + 1)'
  transition: again
- id: again
  type: switch
  conditions:
  - {condition: jq(.round < ${ROUNDS}), transition: count}
`;

let console_: Console;
let long: string;

/** Starts runs of a workflow, some at a time. */
async function startMany(path: string, count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await started(console_.client, NS, path, {});
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

beforeAll(async () => {
  console_ = await openConsole();
  const base = `/api/namespaces/${NS}`;
  await ask(console_.client, 'PUT', base);
  for (const [name, source] of Object.entries({ one: ONE, failing: FAILING, loop: LOOP })) {
    await ask(console_.client, 'PUT', `${base}/tree/${name}?op=create-workflow`, source);
  }
  const from = performance.now();
  await startMany('failing', 10);
  await startMany('one', RUNS - 11);
  long = await started(console_.client, NS, 'loop', {});
  await untilStatus(console_.client, NS, long, 'complete');
  console.log(`${RUNS} runs made in ${Math.round(performance.now() - from)} ms`);
}, 600_000);

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

/** Prints what an action took; times are no assertion, because machines differ. */
async function timed<T>(name: string, act: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await act();
  console.log(`${name}: ${Math.round(performance.now() - from)} ms`);
  return result;
}

const elementsIn = (page: Page): Promise<number> => page.locator('*').count();
const rowsIn = (page: Page) => page.getByRole('table', { name: 'Runs' }).locator('tbody tr:not(.blank)');

test(`a list of ${RUNS} runs holds only the rows in sight, at its top, in its middle and at its end`, async () => {
  const page = await console_.open(`n/${NS}/runs`);
  await timed('the list opens', () => rowsIn(page).first().waitFor());
  await page.getByText(`${RUNS.toLocaleString('en-US')} runs`).waitFor();
  expect(await page.getByRole('table', { name: 'Runs' }).getAttribute('aria-rowcount')).toBe(String(RUNS + 1));
  for (const part of [0, 0.5, 1]) {
    const body = page.locator('.table-body');
    await body.evaluate((element, share) => {
      element.scrollTop = share * (element.scrollHeight - element.clientHeight);
    }, part);
    const last = Math.max(1, Math.floor(part * (RUNS - 1)));
    await timed(`rows at ${part * 100} %`, () => page.locator(`tbody tr[data-index="${last}"]`).waitFor());
    expect(await page.locator('tbody tr').count()).toBeLessThan(80);
    expect(await elementsIn(page)).toBeLessThan(1500);
  }
});

/** Returns a function that reads the processor time of the page's main thread by kind of work, milliseconds. */
async function spentBy(page: Page): Promise<() => Promise<Readonly<Record<string, number>>>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
  };
}

test(`a list of ${RUNS} runs scrolls by one screen a frame, and draws no more than the rows in sight`, async () => {
  const page = await console_.open(`n/${NS}/runs`);
  await rowsIn(page).first().waitFor();
  const spent = await spentBy(page);
  const before = await spent();
  const { frames, most } = await page.locator('.table-body').evaluate(async (body) => {
    const found: number[] = [];
    let most_ = 0;
    let last = performance.now();
    for (let step = 0; step < 120; step += 1) {
      body.scrollTop += body.clientHeight;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      found.push(now - last);
      last = now;
      most_ = Math.max(most_, body.querySelectorAll('tr').length);
    }
    return { frames: found.sort((a, b) => a - b), most: most_ };
  });
  const mean = frames.reduce((sum, one) => sum + one, 0) / frames.length;
  const [half, nearAll] = [frames[60], frames[114]].map((one = 0) => one.toFixed(1));
  console.log(`${Math.round(1000 / mean)} frames a second while scrolling; p50 ${half} ms, p95 ${nearAll} ms`);
  const after = await spent();
  const aFrame = (name: string) => (((after[name] ?? 0) - (before[name] ?? 0)) / frames.length).toFixed(1);
  const [script, style, layout] = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'].map(aFrame);
  console.log(
    `a frame: scripts ${script} ms, styles ${style} ms, layout ${layout} ms, all ${aFrame('TaskDuration')} ms`,
  );
  expect(frames).toHaveLength(120);
  expect(most).toBeLessThan(80);
  // Rows with styles of their own, such as their places, make each frame slower than the one before.
  expect(await page.locator('tbody tr[style]').count()).toBe(0);
});

test(`a filter on ${RUNS} runs shows those that match`, async () => {
  const page = await console_.open(`n/${NS}/runs`);
  await rowsIn(page).first().waitFor();
  await timed('the filter by status answers', async () => {
    await page.getByText('Failed', { exact: true }).first().click();
    await page.getByText('10 runs', { exact: true }).waitFor();
  });
  expect(await rowsIn(page).count()).toBe(10);
  await page.getByText('All', { exact: true }).first().click();
  await page.getByText(`${RUNS.toLocaleString('en-US')} runs`).waitFor();
  await timed('the filter by workflow answers', async () => {
    await page.getByPlaceholder('Workflow, /path').fill('loop');
    await page.getByText('1 run', { exact: true }).waitFor();
  });
});

test(`a run of ${2 * ROUNDS} steps opens, and holds only the steps and log lines in sight`, async () => {
  const page = await console_.open(`n/${NS}/runs/${long}?tab=log`);
  const steps = page.getByRole('region', { name: 'Steps' });
  await timed('the first steps are shown', () => steps.getByRole('button').first().waitFor());
  await timed('all steps are read', () =>
    page.locator(`.timeline[style*="--rows:${2 * ROUNDS}"], .timeline[style*="--rows: ${2 * ROUNDS}"]`).waitFor(),
  );
  expect(await steps.getByRole('button').count()).toBeLessThan(80);
  // The log is followed to its end while its parts come in.
  await page
    .getByRole('region', { name: /: lines$/ })
    .getByText('Workflow completed.')
    .waitFor();
  expect(await elementsIn(page)).toBeLessThan(1500);
  await page.keyboard.press('[');
  await page.getByText(`Step ${2 * ROUNDS}`).waitFor();
  expect(await elementsIn(page)).toBeLessThan(1500);
});
