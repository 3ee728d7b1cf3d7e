import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../service/access/client.ts';
import { allViolationsOf, NO_VIOLATION } from './browser/axe.ts';
import { type Console, openConsole } from './browser/console.ts';
import { ask, makeSpace, type Space, started, untilListening, untilStatus } from './browser/space.ts';

const NS = 'outside';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;
let space: Space;

beforeAll(async () => {
  console_ = await openConsole();
  space = await makeSpace(console_.client, NS);
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  expect(console_.faults).toEqual([]);
});

const status = (page: Page, word: string) => page.getByRole('heading', { level: 1 }).getByText(word);

test('a person sees what a run asks, fills the form in, decides, and the run goes on', async () => {
  const page = await console_.open(`n/${NS}/runs/${space.asking}`);
  await status(page, 'Waiting').waitFor();
  await page.getByText('a decision: Refund of 40 by Ada, finance').waitFor();
  await page.getByRole('link', { name: 'Decide' }).click();
  const panel = page.getByRole('complementary', { name: 'Approval' });
  await panel.getByText('The parcel was lost.').waitFor();
  await panel.getByRole('button', { name: 'approve', exact: true }).click();
  await page.getByRole('button', { name: 'Decide approve' }).click();
  // The form lacks the comment: no decision is stored.
  await page.getByRole('alert').getByText('comment').waitFor();
  await page.getByRole('button', { name: 'Keep' }).click();
  await panel.getByLabel('Comment').fill('paid twice');
  await panel.getByLabel('Your name').fill('Ada');
  await panel.getByRole('button', { name: 'approve', exact: true }).click();
  await page.getByRole('button', { name: 'Decide approve' }).click();
  await page.getByText('Decided approve as Ada').waitFor();
  await page.getByText('Nothing waits for a decision').waitFor();
  await untilStatus(console_.client, NS, space.asking, 'complete');
  const { data } = (await ask(console_.client, 'GET', `${BASE}/instances/${space.asking}/output`)) ?? {};
  expect(JSON.parse(Buffer.from(String(data), 'base64').toString())).toEqual({ paid: true, why: 'paid twice' });
});

test('a person decides by the link that was sent, without a key', async () => {
  const asks = `functions: [{id: tell, type: subflow, workflow: tell}]
states:
- id: ask
  type: approval
  subject: Ship it?
  choices: {ship: null}
  notify: {function: tell, input: {links: jq(.links)}}
`;
  const tell = 'states: [{id: keep, type: setter, variables: [{key: mail, scope: namespace, value: jq(.links)}]}]\n';
  await ask(console_.client, 'PUT', `${BASE}/tree/tell?op=create-workflow`, tell);
  await ask(console_.client, 'PUT', `${BASE}/tree/ship?op=create-workflow`, asks);
  const run = await started(console_.client, NS, 'ship', {});
  await untilListening(console_.client, NS, run);
  await expect.poll(async () => (await console_.client.call('GET', `${BASE}/vars/mail`)).status).toBe(200);
  const links = await ask(console_.client, 'GET', `${BASE}/vars/mail`);
  const page = await console_.open('', { key: null });
  const { pathname } = new URL(String(links?.['ship']), console_.client.url);
  await page.goto(new URL(`..${pathname}`, page.url()).href);
  await page.getByLabel('Your name').fill('Bob');
  await page.getByRole('button', { name: 'ship' }).click();
  await page.getByText('Decided').waitFor();
  await untilStatus(console_.client, NS, run, 'complete');
});

test('a person sees that a run waits for a worker, which task it is, and who holds it', async () => {
  const page = await console_.open(`n/${NS}/workers`);
  await page.getByRole('link', { name: 'labelling' }).click();
  const panel = page.getByRole('complementary', { name: 'Queue' });
  await panel.getByText('1 ready, 0 held').waitFor();
  await panel.getByText('No worker holds a task of this queue').waitFor();
  const poll = { worker: 'gpu-7', wait: 'PT0S', lease: 'PT10M' };
  const taken = await ask(console_.client, 'POST', `${BASE}/workers/labelling?op=poll`, poll);
  const [task] = rowsOf(taken?.['tasks']);
  await panel.getByText('gpu-7').waitFor();
  await panel.getByText('0 ready, 1 held').waitFor();
  await page.goto(page.url().replace(/workers.*$/, `runs?workflow=/label`));
  await page.getByRole('link', { name: 'label' }).first().click();
  await page.getByText('task for a worker of').waitFor();
  await page.getByText('gpu-7').waitFor();
  const done = { task: String(task?.['task']), lease: String(task?.['lease']), output: { label: 'cat' } };
  await ask(console_.client, 'POST', `${BASE}/workers/labelling?op=complete`, done);
  await status(page, 'Complete').waitFor();
});

test('a person copies the request of a webhook, and it starts a run', async () => {
  const page = await console_.open(`n/${NS}/webhooks`);
  await page.getByText('the secret HOOK_SECRET has no value').first().waitFor();
  await console_.client.call('PUT', `${BASE}/secrets/HOOK_SECRET`, { body: 'correct horse' });
  await page.reload();
  await page.getByText('takes requests').waitFor();
  await page.getByRole('link', { name: '/push' }).click();
  const panel = page.getByRole('complementary', { name: 'Webhook' });
  const line = await panel.getByText('curl -sS').textContent();
  const env = { PATH: process.env['PATH'], no_proxy: '*' };
  const script = String(line).replace('HOOK_SECRET=', "HOOK_SECRET='correct horse'");
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env });
  const { instance } = JSON.parse(stdout) as { readonly instance: string };
  await untilStatus(console_.client, NS, instance, 'complete');
  await panel.getByRole('link', { name: 'Runs of this workflow' }).click();
  await page.getByText('1 run', { exact: true }).waitFor();
});

test('a person finds the runs with a label, and those with an error, by addresses', async () => {
  await ask(console_.client, 'POST', `${BASE}/tree/hello.yaml?op=execute&label.team=ops&label.order=o-1`, {});
  await ask(console_.client, 'POST', `${BASE}/tree/hello.yaml?op=execute&label.team=ops&label.order=o-2`, {});
  const page = await console_.open(`n/${NS}/runs?label=team%3Dops`);
  await page.getByText('2 runs', { exact: true }).waitFor();
  const rows = page.getByRole('table', { name: 'Runs' });
  await rows.getByRole('link', { name: 'order=o-1' }).waitFor();
  // The list of all runs shows the labels too, and links to the runs that have one.
  await page.goto(page.url().replace(/runs.*$/, 'runs?workflow=/hello.yaml'));
  await rows.getByRole('link', { name: 'team=ops' }).first().click();
  await page.waitForURL(/label=team%3Dops/);
  await page.getByRole('searchbox', { name: 'Label' }).fill('order=o-2');
  await page.waitForURL(/label=order%3Do-2/);
  await page.getByText('1 run', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'hello' }).click();
  await page.getByRole('link', { name: 'team ops' }).click();
  await page.getByText('2 runs', { exact: true }).waitFor();
  await page.goto(page.url().replace(/runs.*$/, 'runs?error=card.refused'));
  await page.getByText('No run matches').waitFor();
});

test('an administrator sees who changed what, filtered by address', async () => {
  const page = await console_.open(`audit?namespace=${NS}`);
  const table = page.getByRole('table', { name: 'Changes' });
  await table.getByText('createWorkflow').first().waitFor();
  await page.getByRole('searchbox', { name: 'Key' }).fill('nobody');
  await page.getByText('Nothing was changed').waitFor();
  await page.waitForURL(/actor=nobody/);
});

// Only one process with its database in a folder follows repositories.
const isElsewhere = process.env['SERVICE_URL'] !== undefined;

test.skipIf(isElsewhere)('the settings show the repository that a namespace follows, and its last error', async () => {
  const page = await console_.open(`n/${NS}/settings`);
  await page.getByRole('heading', { name: 'Alerts' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Git repository' }).count()).toBe(0);
  await page.route(`**/ui/n/${NS}/settings`, async (route) => {
    const reply = await route.fetch();
    const body = (await reply.text()).replace('data-beside="docs"', 'data-beside="docs sync"');
    await route.fulfill({ response: reply, body });
  });
  const status = { url: 'https://git.example.com/flows.git', branch: 'main', folder: null, subject: 'Add a limit' };
  const times = { syncedAt: '2026-01-31T08:00:00Z', checkedAt: new Date().toISOString() };
  const error = '1 problem, nothing was sent';
  await page.route(`**/sync/${NS}`, (route) =>
    route.fulfill({ json: { namespace: NS, ...status, ...times, commit: '0123456789abcdef', error } }),
  );
  await page.reload();
  const section = page.getByRole('region', { name: 'Git repository' });
  await section.getByText('https://git.example.com/flows.git').waitFor();
  await section.getByText('0123456789ab', { exact: true }).waitFor();
  await section.getByText(error).waitFor();
  expect(await allViolationsOf(page)).toEqual(NO_VIOLATION);
});
