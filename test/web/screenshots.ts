/**
 * `npm run screenshots`: writes docs/console/, the main pages of the console in Chromium with the data of a small shop:
 * light, dark and 390 px wide. Names of pages as arguments take those alone.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type Console, type Look, openConsole } from './browser/console.ts';
import { untilReady } from './browser/ready.ts';
import { makeShowcase, type Showcase, WITH_A_MISTAKE } from './browser/showcase.ts';
import { pasteInto } from './browser/typing.ts';

const FOLDER = fileURLToPath(new URL('../../docs/console', import.meta.url));

const LOOKS: Readonly<Record<string, Look>> = {
  light: { width: 1280, height: 800, theme: 'light' },
  dark: { width: 1280, height: 800, theme: 'dark' },
  narrow: { width: 390, height: 844, theme: 'light' },
};

interface Shot {
  readonly path: (show: Showcase) => string;
  /** The actions on the page before its picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const SHOTS: Readonly<Record<string, Shot>> = {
  'failed-run': { path: ({ namespace, failed }) => `n/${namespace}/runs/${failed}?tab=source` },
  step: { path: ({ namespace, failed }) => `n/${namespace}/runs/${failed}?tab=step&step=2` },
  'run-again': { path: ({ namespace, failed }) => `n/${namespace}/runs/${failed}?repeat=2` },
  'many-runs': { path: ({ namespace }) => `n/${namespace}/runs?status=failed&bulk=rerun` },
  'waiting-run': {
    path: ({ namespace, waiting }) => `n/${namespace}/runs/${waiting}?tab=data`,
    act: (page) => page.getByText('Near miss').first().waitFor(),
  },
  runs: { path: ({ namespace }) => `n/${namespace}/runs` },
  explorer: { path: ({ namespace }) => `n/${namespace}/tree/orders` },
  editor: {
    path: ({ namespace }) => `n/${namespace}/tree/orders/fulfil.yaml`,
    act: async (page) => {
      await pasteInto(page.getByLabel('Source of fulfil.yaml'), WITH_A_MISTAKE);
      const problem = page.getByRole('list', { name: 'Problems' }).getByRole('button').first();
      await problem.waitFor();
      await problem.click();
    },
  },
  event: { path: ({ namespace, event }) => `n/${namespace}/events/${event}` },
  approval: { path: ({ namespace, asking }) => `n/${namespace}/approvals?run=${asking}` },
  'asking-run': { path: ({ namespace, asking }) => `n/${namespace}/runs/${asking}` },
  queue: { path: ({ namespace }) => `n/${namespace}/workers?queue=labelling` },
  webhook: { path: ({ namespace }) => `n/${namespace}/webhooks?workflow=%2Fhooks%2Fpush.yaml` },
  metrics: { path: ({ namespace }) => `n/${namespace}/metrics` },
};

async function shoot(console_: Console, show: Showcase, name: string): Promise<void> {
  const shot = SHOTS[name];
  if (shot === undefined) throw new Error(`no page is called ${name}; there are ${Object.keys(SHOTS).join(', ')}`);
  for (const [look, size] of Object.entries(LOOKS)) {
    const page = await console_.open(shot.path(show), size);
    await untilReady(page);
    await shot.act?.(page);
    // Streams say that they are live, and charts are drawn.
    await page.waitForTimeout(1500);
    const path = join(FOLDER, `${name}-${look}.png`);
    await page.screenshot({ path });
    console.log(`${path}: ${Math.round((await stat(path)).size / 1000)} kB`);
    await console_.closePages();
  }
}

const names = process.argv.slice(2);
await mkdir(FOLDER, { recursive: true });
const console_ = await openConsole();
try {
  const show = await makeShowcase(console_.client, 'shop');
  for (const name of names.length > 0 ? names : Object.keys(SHOTS)) await shoot(console_, show, name);
} finally {
  await console_.close();
}
if (console_.faults.length > 0) throw new Error(`pages failed:\n${console_.faults.join('\n')}`);
