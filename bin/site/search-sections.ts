import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Section } from '../../web/site/search.ts';
import { ROOT } from '../console/folder.ts';
import { targetOf } from './addresses.ts';
import type { Page } from './pages.ts';

/** How much the pages below an address count in a search; the first row that fits is taken. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  // Records of how Weft was built: they have the words of every subject.
  [/^(decisions\/|changelog|agents|contributing|threads|chaos|bench\/|deploy\/|editors\/)/, 0.3],
  [/^index\.html$/, 0.3],
  // Long lists with the words of every subject.
  [/^(examples\/|api|lint|limits|glossary|command-line|scaling|performance)/, 0.6],
];

const EXCERPT = 110;

function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).replace(/\s\S*$/, '')} …`;
}

/** The pages whose tables are indexes: a row has a description and links. */
const INDEXES = ['docs/README.md', 'docs/states/README.md'];

/** The rows of the indexes that lead to each section, by page and anchor. */
function readTasks(): ReadonlyMap<string, string> {
  const tasks = new Map<string, string>();
  for (const index of INDEXES) {
    const rows = readFileSync(join(ROOT, index), 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm);
    for (const [, first = '', second = ''] of rows) {
      const links = [...`${first} ${second}`.matchAll(/\[([^\]]+)\]\(([^)#:]+)(?:#([^)]+))?\)/g)];
      // The column without links describes the other one; the link text of a neighbour would not.
      const about = [first, second].filter((cell) => !cell.includes('](')).join(' ');
      for (const [, text = '', path = '', anchor = ''] of links) {
        const place = `${targetOf(posix.join(posix.dirname(index), path)).address}#${anchor}`;
        tasks.set(place, [tasks.get(place), about, text].join(' '));
      }
    }
  }
  return tasks;
}

/** The sections of all pages for the index of the search. */
export function searchSections(pages: readonly Page[]): Section[] {
  const tasks = readTasks();
  const sections = pages.flatMap(({ target, title, sections: own }) => {
    const weight = WEIGHTS.find(([fits]) => fits.test(target.address))?.[1] ?? 1;
    return own.map(({ anchor: place, heading, level, text }) => {
      const anchor = level === 1 ? '' : place;
      return {
        page: target.address,
        title,
        heading,
        anchor,
        task: tasks.get(`${target.address}#${anchor}`) ?? '',
        text,
        excerpt: excerptOf(text),
        weight,
      };
    });
  });
  return sections.map((section, id) => ({ id, ...section }));
}
