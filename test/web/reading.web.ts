import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilStatus } from './browser/space.ts';

/** What a reader sees first of a run: its output, the lines of its states, its way, and where it failed. */
const NS = 'reading';
let console_: Console;

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', `/api/namespaces/${NS}`);
});

beforeEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `/api/namespaces/${NS}/tree/${path}?op=create-workflow`, source);

const LONG = 'a text that is much longer than a line of the log '.repeat(4).trim();

test('a finished run opens on its output; a chosen step shows its lines; lines of states stand out and wrap', async () => {
  await store('greet', `states:\n- {id: greet, type: noop, log: ${LONG}, transform: {greeting: jq(.name)}}\n`);
  const run = await started(console_.client, NS, 'greet', { name: 'Ada' });
  await untilStatus(console_.client, NS, run, 'complete');
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByRole('list', { name: 'Output' }).getByText('Ada').waitFor();
  await page.getByRole('region', { name: 'Steps' }).locator('button.step').first().click();
  const line = page.locator('.log-line.own');
  await line.getByText(LONG).waitFor();
  expect(await page.locator('.log-line').count()).toBeGreaterThan(1);
  expect(await line.count()).toBe(1);
  const cut = await line.boundingBox();
  await page.getByRole('button', { name: 'Wrap long lines' }).click();
  await expect.poll(async () => (await line.boundingBox())?.height ?? 0).toBeGreaterThan((cut?.height ?? 0) * 1.5);
  await page.getByRole('button', { name: 'All steps' }).click();
  await page.getByLabel('Level').selectOption('own');
  await expect.poll(() => page.locator('.log-line').count()).toBe(1);
});

test('a run with handlers names the state that failed, and its way goes through the cause of the handler', async () => {
  const source = `onFailure: undo
cancelOn: {type: order.cancelled}
states:
- {id: pay, type: error, error: bank.refused, message: no money}
- {id: undo, type: noop}
`;
  await store('handled', source);
  const run = await started(console_.client, NS, 'handled', {});
  await untilStatus(console_.client, NS, run, 'failed');
  const page = await console_.open(`n/${NS}/runs/${run}`);
  await page.getByRole('alert').getByText('in state pay').waitFor();
  await page.getByRole('button', { name: 'Edit data and run from pay' }).waitFor();
  await page.locator('.state.failed').getByText('pay').waitFor();
  await page.locator('.state.cause.visited').getByText('on failure').waitFor();
  const boxes = await page
    .locator('.state')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  const overlaps = boxes.flatMap((a, index) =>
    boxes.slice(index + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
  );
  expect(boxes).toHaveLength(4);
  expect(overlaps).toEqual([]);
});

test('the edges of a switch, an approval and a catch have labels', async () => {
  const source = `states:
- {id: check, type: switch, conditions: [{condition: jq(.quantity > 0), transition: ask}], defaultTransition: none}
- {id: ask, type: approval, subject: Ship?, choices: {approve: ship, refuse: none}}
- {id: ship, type: noop, catch: [{error: carrier.full, transition: none}]}
- {id: none, type: noop}
`;
  await store('labelled', source);
  const page = await console_.open(`n/${NS}/tree/labelled`);
  await page.locator('.edge-label').first().waitFor();
  const labels = await page.locator('.edge-label').allTextContents();
  expect(labels.toSorted()).toEqual(['.quantity > 0', 'approve', 'carrier.full', 'otherwise', 'refuse']);
});
