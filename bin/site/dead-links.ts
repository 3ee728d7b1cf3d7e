import { posix } from 'node:path';

const LINK = /\b(?:href|src)="([^"]*)"/g;
const ID = /\bid="([^"]*)"/g;

/**
 * The links of pages, by their addresses, to a file of the site or to a place in a page that does not exist. `files` has the
 * addresses of everything else.
 */
export function deadLinks(pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  const places = new Map([...pages].map(([page, html]) => [page, new Set([...html.matchAll(ID)].map(([, id]) => id))]));
  const isDead = (from: string, link: string): boolean => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor = ''] = link.split('#');
    const to = path === '' ? from : posix.join(posix.dirname(from), path);
    if (anchor === '') return !pages.has(to) && !files.has(to);
    return places.get(to)?.has(anchor.replaceAll('&amp;', '&')) !== true;
  };
  return [...pages].flatMap(([from, html]) => {
    const links = [...html.matchAll(LINK)].map(([, link = '']) => link);
    return links.filter((link) => isDead(from, link)).map((link) => `${from} links to ${link}`);
  });
}
