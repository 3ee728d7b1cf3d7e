import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../console/folder.ts';
import { linkBetween, type Target, targetOf } from './addresses.ts';
import { escapeHtml } from './highlighting.ts';

/** A group of pages in the navigation. */
export interface Group {
  readonly title: string;
  readonly entries: readonly { readonly title: string; readonly target: Target }[];
}

const TABLE = /^\| ([^|]+) \| \|\n\|---\|---\|\n((?:\|.*\n)+)/gm;
const LINK = /\[([^\]]+)\]\(([^)#]+)\)/g;

/** The navigation: the tables of docs/README.md, each a group, but the first, which is the index by task. */
export function readNavigation(): Group[] {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8');
  const [, ...tables] = [...index.matchAll(TABLE)];
  return tables.map(([, title = '', rows = '']) => {
    const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
    const links = cells.flatMap((cell) => [...cell.matchAll(LINK)]);
    const entries = links.map(([, text = '', path = '']) => ({
      title: text,
      target: targetOf(posix.join('docs', path)),
    }));
    return { title, entries: entries.filter(({ target }) => target.kind !== 'file') };
  });
}

/** Whether a page stands for another one in the navigation: its own entry, or that of the index of its folder. */
const standsFor = (entry: Target, page: Target): boolean =>
  entry.address === page.address ||
  (entry.address.endsWith('/index.html') && page.address.startsWith(posix.dirname(entry.address)));

/** The navigation as HTML, as seen from a page. */
export function navigationHtml(groups: readonly Group[], page: Target): string {
  const itemOf = ({ title, target }: Group['entries'][number]): string => {
    const current = standsFor(target, page)
      ? ` aria-current="${target.address === page.address ? 'page' : 'true'}"`
      : '';
    return `<li><a href="${linkBetween(page.address, target.address)}"${current}>${escapeHtml(title)}</a></li>`;
  };
  return groups
    .map(({ title, entries }) => `<h2>${escapeHtml(title)}</h2>\n<ul>\n${entries.map(itemOf).join('\n')}\n</ul>`)
    .join('\n');
}
