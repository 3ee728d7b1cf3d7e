/** `npm run docs:site`: makes the documentation as pages in dist/site, or in the folder that is given. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexOf } from '../../web/site/search.ts';
import { bundlePage, type Entries, outputOf } from '../console/build.ts';
import { ROOT } from '../console/folder.ts';
import { deadLinks } from './dead-links.ts';
import { SITE_FOLDER } from './folder.ts';
import { readNavigation } from './navigation.ts';
import { makePages, type Page } from './pages.ts';
import { searchSections } from './search-sections.ts';
import { type Assets, pageHtml } from './template.ts';

const ENTRIES: Entries = {
  main: 'web/site/main.ts',
  theme: 'web/app/theme.ts',
  style: 'web/site/site.css',
  icon: 'web/app/icon.svg',
};

/** The package whose code the pages contain, with its license. */
const CONTAINED = { license: 'node_modules/minisearch/LICENSE.txt', address: 'assets/minisearch-license.txt' };

/** What was made. */
export interface SiteSize {
  readonly pages: number;
  /** Bytes of all files. */
  readonly bytes: number;
}

async function writeAssets(folder: string, pages: readonly Page[]): Promise<Assets> {
  const outputs = await bundlePage(folder, ENTRIES);
  const nameOf = (entry: string): string => `assets/${basename(outputOf(outputs, entry))}`;
  const json = indexOf(searchSections(pages));
  const index = `assets/search-${createHash('sha256').update(json).digest('hex').slice(0, 8)}.json`;
  await writeFile(join(folder, index), json);
  await copyFile(join(ROOT, CONTAINED.license), join(folder, CONTAINED.address));
  const { main, theme, style, icon } = ENTRIES;
  return { main: nameOf(main), theme: nameOf(theme), style: nameOf(style), icon: nameOf(icon), index };
}

async function put(file: string, write: (file: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await write(file);
}

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  return files.filter((one) => one.isFile()).reduce((sum, { size }) => sum + size, 0);
}

async function write(folder: string): Promise<SiteSize> {
  const { pages, copied } = makePages();
  const assets = await writeAssets(folder, pages);
  const groups = readNavigation();
  const texts = new Map(pages.map((page) => [page.target.address, pageHtml(page, groups, assets)]));
  const dead = deadLinks(texts, new Set([...copied.map(({ address }) => address), ...Object.values(assets)]));
  if (dead.length > 0) throw new Error(`the documentation has dead links:\n${dead.join('\n')}`);
  for (const [address, html] of texts) await put(join(folder, address), (file) => writeFile(file, html));
  for (const { path, address } of copied) await put(join(folder, address), (file) => copyFile(join(ROOT, path), file));
  return { pages: pages.length, bytes: await bytesOf(folder) };
}

/**
 * Makes the site in a folder, in place of what is there. Throws Error, and leaves the folder as it is, for a dead link or a
 * diagram that it cannot show.
 */
export async function buildSite(folder = SITE_FOLDER): Promise<SiteSize> {
  // Two processes may build at the same time; a reader sees a whole build.
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const size = await write(draft);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return size;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = SITE_FOLDER] = process.argv.slice(2);
  const { pages, bytes } = await buildSite(folder);
  console.log(`${folder}: ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB`);
}
