import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { prepareConsole } from '../../../bin/console/preparation.ts';
import { type Client, openClient } from '../../service/access/client.ts';
import { FLAGS, findChromium } from './chromium.ts';
import { openGateway } from './gateway.ts';

/** How a page of the console is opened. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Another key than the administrator's; null: none, so that the sign-in is shown. */
  readonly key?: string | null;
  /** Where the service is reached, if not at its own URL. */
  readonly at?: string;
}

/** A browser on the console of a running service. */
export interface Console {
  readonly client: Client;
  /** Opens an address below /ui in a tab of its own. Errors that its scripts throw are added to `faults`. */
  open(path: string, look?: Look): Promise<Page>;
  /** Faults inside of pages: errors thrown, and refusals of the content security policy. */
  readonly faults: readonly string[];
  /** Closes the tabs that are open: each holds connections, of which a browser has six for one service. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** A load that was given up by a page that is left is no fault. */
const IS_FAULT = /Content Security Policy|TrustedHTML|TrustedScript|Uncaught|is not a function|undefined/i;

function watch(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && IS_FAULT.test(message.text())) faults.push(`${page.url()}: ${message.text()}`);
  });
}

/** A container that starts on this machine changes its network, upon which Chromium drops its open requests. */
async function load(page: Page, url: string, tries = 5): Promise<void> {
  try {
    await page.goto(url);
  } catch (error) {
    if (tries === 1 || !String(error).includes('ERR_NETWORK_CHANGED')) throw error;
    await load(page, url, tries - 1);
  }
}

async function launch(): Promise<{ context: BrowserContext; end: () => Promise<void> }> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium is installed');
  const folder = mkdtempSync(join(tmpdir(), 'weft-browser-'));
  const context = await chromium.launchPersistentContext(folder, { executablePath, args: FLAGS, headless: true });
  // Shorter than the timeout of a test, so that the error names the missing element.
  context.setDefaultTimeout(30_000);
  const end = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, end };
}

/** Starts a service and a browser. */
export async function openConsole(): Promise<Console> {
  await prepareConsole();
  const client = await openClient();
  const gateway = await openGateway(client.url);
  const { context, end } = await launch();
  const faults: string[] = [];
  const open = async (path: string, look: Look = {}): Promise<Page> => {
    const { width = 1280, height = 800, theme = 'light', key = client.key, at = gateway.url } = look;
    const page = await context.newPage();
    watch(page, faults);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    if (key !== null) await page.addInitScript((secret) => sessionStorage.setItem('weft.key', secret), key);
    await load(page, `${at}/ui/${path}`);
    return page;
  };
  const close = async () => {
    await end();
    await gateway.close();
    await client.close();
  };
  const closePages = async () => {
    await Promise.all(
      context
        .pages()
        .slice(1)
        .map((page) => page.close()),
    );
  };
  return { client, open, faults, closePages, close };
}
