import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { ask, started, untilListening, untilStatus } from './browser/space.ts';
import { pasteInto } from './browser/typing.ts';

let console_: Console;
let made = 0;
let ns: string;

beforeAll(async () => {
  console_ = await openConsole();
});

beforeEach(async () => {
  made += 1;
  ns = `journey-${made}`;
  await ask(console_.client, 'PUT', `/api/namespaces/${ns}`);
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const store = (path: string, source: string) =>
  ask(console_.client, 'PUT', `/api/namespaces/${ns}/tree/${path}?op=create-workflow`, source);

const status = (page: Page, word: string) => page.getByRole('heading', { level: 1 }).getByText(word);

const WITH_A_MISTAKE = `states:
- id: wait
  type: delay
  duration: PT1S
  transition: grete
- id: greet
  type: noop
  log: jq("hello " + (.name | tostrng))
  transform:
    greeting: 'jq("Hello, " + .name)'
`;

/** Fails at its second state for an amount that is no number. */
const CHARGE = `states:
- id: prepare
  type: noop
  transform: 'jq(. + {prepared: true})'
  transition: check
- id: check
  type: validate
  schema: {type: object, properties: {amount: {type: number}}}
  transition: charge
- id: charge
  type: noop
  transform: 'jq(. + {cents: (.amount * 100)})'
`;

const TYPED = `input:
  required: [weight]
  properties:
    weight: {type: number, exclusiveMinimum: 0}
    way: {type: string, default: by road}
states: [{id: price, type: noop}]
`;

describe('a person', () => {
  test('writes a workflow with a mistake, mends it, runs it and watches the run', async () => {
    const page = await console_.open(`n/${ns}/tree/`);
    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByLabel('Name of the workflow').fill('greet');
    await page.getByRole('button', { name: 'Create' }).click();
    const text = page.getByLabel('Source of greet');
    await pasteInto(text, WITH_A_MISTAKE);
    const problems = page.getByRole('list', { name: 'Problems' });
    const problem = problems.getByRole('button', { name: /does not exist/ });
    await problem.waitFor();
    expect(await problems.getByRole('listitem').count()).toBe(2);
    // The problem is a link to its place in the text.
    await problem.click();
    for (const _ of 'grete') await page.keyboard.press('Delete');
    await page.keyboard.type('greet');
    // A warning does not prevent that the text is stored; its correction is made by a button.
    await page.getByText('Not stored. 1 warning').waitFor();
    await problems.getByRole('button', { name: "replace 'tostrng' by 'tostring'" }).click();
    await page.getByText('Not stored. No problems').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Stored as the latest revision').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('textbox', { name: 'Input' }).waitFor();
    await pasteInto(page.getByRole('textbox', { name: 'Input' }), '{"name": "Ada"}');
    await page.getByRole('button', { name: 'Start' }).click();
    await status(page, 'Complete').waitFor();
    const steps = page.getByRole('region', { name: 'Steps' }).locator('button.step');
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([expect.stringContaining('wait'), expect.stringContaining('greet')]);
    await page.getByText('hello Ada').first().waitFor();
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.getByText('"Hello, Ada"').waitFor();
  });

  test('starts a workflow by the form of its input, and sees a mistake of the input', async () => {
    await store('parcel', TYPED);
    const page = await console_.open(`n/${ns}/tree/parcel`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const weight = page.getByRole('textbox', { name: 'weight', exact: true });
    await weight.fill('0');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('weight: Must be greater than 0').waitFor();
    await weight.fill('2');
    expect(await page.getByRole('textbox', { name: 'way (may be left out)' }).inputValue()).toBe('by road');
    await page.getByRole('button', { name: 'Start' }).click();
    await status(page, 'Complete').waitFor();
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.getByText('"by road"').first().waitFor();
  });

  test('sees why a run waits, which event just missed it, and sends the right one', async () => {
    const source = `states:
- id: approve
  type: consumeEvent
  event:
    type: order.paid
    context: {order: jq(.order)}
  transform: {paid: true}
`;
    await store('pay', source);
    const run = await started(console_.client, ns, 'pay', { order: 'o-77' });
    await untilListening(console_.client, ns, run);
    const page = await console_.open(`n/${ns}/runs/${run}`);
    await status(page, 'Waiting').waitFor();
    await page.getByText('order=o-77').waitFor();
    const event = { specversion: '1.0', id: 'e-1', type: 'order.paid', source: 'bank', order: 'O-77' };
    await console_.client.call('POST', `/api/namespaces/${ns}/broadcast`, {
      json: event,
      headers: { 'Content-Type': 'application/cloudevents+json' },
    });

    await page.getByText('Near miss').waitFor();
    await page.getByText('order=O-77', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Send it' }).click();
    expect(await page.getByLabel('Attributes').inputValue()).toContain('"order": "o-77"');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Sent order.paid').waitFor();
    await page.goBack();
    await page.goBack();
    await status(page, 'Complete').waitFor();
  });

  test('sees the error of a failed run beside its source, and runs it again', async () => {
    await store('fail', 'states:\n- id: check\n  type: error\n  error: order.bad\n  message: no card\n');
    const run = await started(console_.client, ns, 'fail', { id: 1 });
    const page = await console_.open(`n/${ns}/runs/${run}?tab=source`);
    const error = page.getByRole('alert');
    await error.getByText('order.bad').waitFor();
    await error.getByText('no card').waitFor();
    await page
      .getByRole('region', { name: 'Steps' })
      .getByRole('button', { name: /check failed/ })
      .waitFor();
    await page.getByLabel('Source').getByText('message: no card').waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByLabel('Data of the new run').getByText('"id"').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.includes(run));
    await page.getByRole('alert').getByText('order.bad').waitFor();
    await page.getByRole('link', { name: 'Repeats a run' }).click();
    await page.waitForURL(new RegExp(run));
    await page.getByRole('link', { name: 'Repeated by a run' }).waitFor();
  });

  test('edits the data at the state that failed, goes on from there, and the new run succeeds', async () => {
    await store('charge', CHARGE);
    const run = await started(console_.client, ns, 'charge', { amount: 'forty', order: 'o-1' });
    const page = await console_.open(`n/${ns}/runs/${run}`);
    await page.getByRole('alert').getByText('service.schema.failed').waitFor();
    await page.getByRole('button', { name: 'Edit data and run from check' }).click();
    const data = page.getByLabel('Data of the new run');
    await data.getByText('"forty"').waitFor();
    expect(await data.textContent()).toContain('"prepared": true');
    await pasteInto(data, '{"amount": 40, "order": "o-1", "prepared": true}');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.includes(run));
    await status(page, 'Complete').waitFor();
    const steps = page.getByRole('region', { name: 'Steps' }).locator('button.step');
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([expect.stringContaining('check'), expect.stringContaining('charge')]);
    await steps.last().click();
    await page.getByRole('link', { name: 'Step', exact: true }).click();
    await page.getByRole('button', { name: 'After' }).click();
    await page.getByLabel('Data of the step').getByText('4000').waitFor();
  });

  test('takes a run along as one file', async () => {
    await store('greet', 'states:\n- id: greet\n  type: noop\n  transform: {greeting: jq(.name)}\n');
    const run = await started(console_.client, ns, 'greet', { name: 'Ada' });
    const page = await console_.open(`n/${ns}/runs/${run}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the bundle for weft replay' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe(`${run}.bundle.json`);
    const bundle = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(bundle).toMatchObject({
      instance: { id: run },
      outcome: { status: 'complete', output: { greeting: 'Ada' } },
    });
  });

  test('sees which failed runs would be repeated, and repeats them by the mended workflow', async () => {
    await store('sum', 'states:\n- id: sum\n  type: noop\n  transform: {sum: jq(.a + .missing.b.c.d | error)}\n');
    for (const a of [1, 2, 3])
      await untilStatus(console_.client, ns, await started(console_.client, ns, 'sum', { a }), 'failed');
    const page = await console_.open(`n/${ns}/runs?status=failed`);
    await page.getByRole('button', { name: 'Run all again…' }).click();
    const panel = page.getByRole('complementary', { name: 'Run again' });
    await panel.getByRole('heading', { name: '3 runs' }).waitFor();
    const before = await ask(console_.client, 'GET', `/api/namespaces/${ns}/instances`);
    expect(before?.['instances']).toMatchObject({ pageInfo: { total: 3 } });
    const mended = 'states:\n- id: sum\n  type: noop\n  transform: {sum: jq(.a)}\n';
    await ask(console_.client, 'POST', `/api/namespaces/${ns}/tree/sum?op=update-workflow`, mended);
    await panel.getByLabel('Revision').selectOption('latest');
    await panel.getByRole('heading', { name: '3 runs' }).waitFor();
    await panel.getByRole('button', { name: 'Start 3 runs' }).click();
    await panel.getByText('3 runs started.').waitFor();
    const list = await console_.open(`n/${ns}/runs?status=complete`);
    await list.getByText('3 runs', { exact: true }).waitFor();
  });

  test('sees which runs would be cancelled, and cancels them', async () => {
    await store('rest', 'states:\n- id: rest\n  type: delay\n  duration: PT1H\n');
    for (const a of [1, 2]) await started(console_.client, ns, 'rest', { a });
    const page = await console_.open(`n/${ns}/runs?status=pending`);
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    const panel = page.getByRole('complementary', { name: 'Cancel runs' });
    await panel.getByRole('heading', { name: '2 runs' }).waitFor();
    await panel.getByRole('button', { name: 'Cancel 2 runs' }).click();
    await panel.getByText('2 runs cancelled.').waitFor();
  });

  test('cancels a run that waits', async () => {
    await store('rest', 'states:\n- id: rest\n  type: delay\n  duration: PT1H\n');
    const run = await started(console_.client, ns, 'rest', {});
    const page = await console_.open(`n/${ns}/runs/${run}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await status(page, 'Cancelled').waitFor();
  });

  test('runs an example in an empty namespace by one click, and sees its data', async () => {
    const page = await console_.open(`n/${ns}`);
    await page.getByRole('button', { name: 'Run it' }).first().click();
    await page.waitForURL(/\/runs\//);
    await page.getByRole('heading', { name: 'Input' }).waitFor();
  });

  test('deletes a workflow and undoes it, then deletes a folder and restores a workflow of it from the list', async () => {
    const list = () => console_.client.call('GET', `/api/namespaces/${ns}/tree/?op=deletions`);
    const remove = async (page: Page, name: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('button', { name: `Delete ${name}` }).click();
    };
    await ask(console_.client, 'PUT', `/api/namespaces/${ns}/tree/shop?op=create-directory`);
    for (const path of ['greet', 'shop/price']) await store(path, 'states: [{id: a, type: noop}]\n');
    const page = await console_.open(`n/${ns}/tree/`);
    await remove(page, 'greet');
    await page.getByText('Deleted /greet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone').waitFor();
    await page.getByRole('link', { name: 'greet' }).first().waitFor();
    await remove(page, 'shop');
    await page.getByRole('button', { name: 'Deleted' }).click();
    await page.getByRole('button', { name: 'Restore /shop/price' }).click();
    await page.getByText('No workflow was deleted here in the last 30 days.').waitFor();
    expect((await list()).json()['deleted']).toEqual([]);
    expect((await console_.client.call('GET', `/api/namespaces/${ns}/tree/shop/price`)).status).toBe(200);
  });

  test('stores, shows and deletes a variable', async () => {
    const page = await console_.open(`n/${ns}/variables`);
    await page.getByRole('button', { name: 'New variable' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('rates');
    await page.getByRole('textbox', { name: 'Value' }).fill('{"EUR": 1}');
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('rates').first().waitFor();
    const stored = await ask(console_.client, 'GET', `/api/namespaces/${ns}/vars/rates`);
    expect(stored).toEqual({ EUR: 1 });
  });
});

describe('the keyboard alone', () => {
  test('leads from the sign-in to a run, through its steps, and to every page', async () => {
    await store('two', 'states:\n- id: a\n  type: noop\n  transition: b\n- id: b\n  type: noop\n');
    const run = await started(console_.client, ns, 'two', {});
    const page = await console_.open(`n/${ns}`, { key: null });
    await page.getByLabel('Key').waitFor();
    await page.keyboard.type(console_.client.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: ns }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('table', { name: 'Runs' }).getByText('two').first().waitFor();
    await page.keyboard.press('j');
    await page.locator('.row-link:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(run));
    await status(page, 'Complete').waitFor();
    await page.getByRole('region', { name: 'Steps' }).getByText('b', { exact: true }).waitFor();
    await page.keyboard.press(']');
    await page.getByText('Step 1').waitFor();
    await page.keyboard.press(']');
    await page.getByText('Step 2').waitFor();
    await page.keyboard.press('[');
    await page.getByText('Step 1').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('metrics');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  test('opens the palette again in the moment in which it closes', async () => {
    const page = await console_.open(`n/${ns}`);
    await page.getByRole('heading', { level: 1, name: ns }).waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Go to a page or do something' });
    await dialog.getByRole('combobox').fill('metrics');
    // The browser reports the end of a dialog later than it ends it.
    await dialog.evaluate((element) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        window.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
      });
      observer.observe(element, { attributeFilter: ['open'] });
    });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor();
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByRole('option').first().waitFor();
    await page.waitForTimeout(500);
    expect(await keys.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await keys.waitFor();
  });
});
