import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { untilStill } from './ready.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVERYTHING: RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
};
const COLOURS: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** Returns the violations that axe finds, a line each. */
async function violationsOf(page: Page, options: RunOptions): Promise<string[]> {
  const { violations } = await page.evaluate(
    (given) => (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(given),
    options,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} ${target.join(' ')}: ${failureSummary.split('\n')[1]}`),
  );
}

/** Returns the violations in a wide page, in a narrow one, and of its colours in the dark. */
export async function allViolationsOf(page: Page): Promise<Readonly<Record<string, readonly string[]>>> {
  await page.evaluate(AXE);
  const wide = await violationsOf(page, EVERYTHING);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violationsOf(page, COLOURS);
  await page.setViewportSize({ width: 390, height: 844 });
  await untilStill(page);
  const narrow = await violationsOf(page, EVERYTHING);
  return { wide, dark, narrow };
}

/** The result of `allViolationsOf` for a page without a violation. */
export const NO_VIOLATION = { wide: [], dark: [], narrow: [] };
