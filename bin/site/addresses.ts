import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from '../console/folder.ts';

/** What is made of a path of the repository. */
export interface Target {
  /** The path in the repository, from which the page is made. */
  readonly path: string;
  /** `markdown` and `source` become pages, `folder` too, with the files of an example; `file` is copied as it is. */
  readonly kind: 'markdown' | 'source' | 'folder' | 'file';
  /** The path of the page or file in the site. */
  readonly address: string;
  /** The place in the page for a file that is shown with others; else empty. */
  readonly anchor: string;
}

const COPIED = /^docs\/.*\.(json|png|svg)$/;
const EXAMPLE = /^examples\/[\w-]+(?=\/|$)/;

/** The anchor of a file on the page of its folder. */
export const anchorOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const addressOfMarkdown = (path: string): string => {
  if (path === 'README.md') return 'readme.html';
  const place = path.replace(/^docs\//, '').replace(/\.md$/, '.html');
  return posix.join(dirname(place), posix.basename(place).toLowerCase().replace('readme', 'index'));
};

function targetOfFolder(path: string): Target {
  const readme = join(path, 'README.md');
  if (existsSync(join(ROOT, readme))) return targetOf(readme);
  if (!path.startsWith('examples')) throw new Error(`the folder ${path} has no README.md to show`);
  return { path, kind: 'folder', address: posix.join(path, 'index.html'), anchor: '' };
}

/**
 * The page or file of a path of the repository, relative to it. Throws Error if nothing can be shown of the path: it does
 * not exist, or is a folder that is no example and has no README.md.
 */
export function targetOf(path: string): Target {
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${path} does not exist`);
  if (found.isDirectory()) return targetOfFolder(path.replace(/\/$/, ''));
  if (COPIED.test(path)) return { path, kind: 'file', address: path.replace(/^docs\//, ''), anchor: '' };
  if (path.endsWith('.md')) return { path, kind: 'markdown', address: addressOfMarkdown(path), anchor: '' };
  const [example] = EXAMPLE.exec(path) ?? [];
  if (example !== undefined) return { ...targetOfFolder(example), anchor: anchorOf(path.slice(example.length + 1)) };
  return { path, kind: 'source', address: `${path}.html`, anchor: '' };
}

/** The link from one address of the site to another: relative, so that the site may lie anywhere. */
export const linkBetween = (from: string, to: string): string =>
  posix.relative(dirname(from), to) || posix.basename(to);

/** The pages that the site begins with; it contains what these link to as well. */
export const firstPages = (): Target[] => globSync('docs/**/*.md', { cwd: ROOT }).toSorted().map(targetOf);
