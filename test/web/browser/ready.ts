import type { Page } from 'playwright-core';

/** Waits until the editors and diagrams of a page are drawn: they load when they are shown. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.editor-host')].every((host) => host.shadowRoot?.querySelector('.cm-content')),
  );
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.diagram')].every((diagram) => diagram.querySelector('.state')),
  );
}

/** Waits until a page shows the replies to its requests: a heading or a note, and no bars in the place of values. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('h1, .note, .empty').first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.skeleton, .row.blank').length === 0);
  await untilDrawn(page);
}

/** Waits until a page has been drawn again after a change of its size. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );
  await untilDrawn(page);
}
