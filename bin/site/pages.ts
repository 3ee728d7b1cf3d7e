import { globSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { ROOT } from '../console/folder.ts';
import { anchorOf, firstPages, type Target } from './addresses.ts';
import { codeBlock, escapeHtml } from './highlighting.ts';
import { type Rendered, render } from './markdown.ts';

/** A page of the site. */
export interface Page extends Rendered {
  readonly target: Target;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The languages by the ends of names. */
const LANGUAGES: Readonly<Record<string, string>> = { '.yaml': 'yaml', '.yml': 'yaml', '.json': 'json' };

/** A state machine is thousands of lines that no reader of an example wants. */
const LEFT_OUT = /\.asl\.json$/;

function sourcePage(target: Target): Rendered {
  const { path } = target;
  const html = `<h1>${escapeHtml(path)}</h1>\n${codeBlock(read(path), LANGUAGES[extname(path)] ?? '')}`;
  return { title: path, html, sections: [{ anchor: '', heading: path, level: 1, text: '' }], targets: [] };
}

/** The page of an example: all its files, the workflow first. */
function examplePage({ path }: Target): Rendered {
  const files = globSync(`${path}/**/*.*`, { cwd: ROOT }).filter((file) => !LEFT_OUT.test(file));
  const isFirst = (file: string): number => Number(basename(file) !== 'workflow.yaml');
  const sorted = files.toSorted((one, other) => isFirst(one) - isFirst(other) || one.localeCompare(other));
  const parts = sorted.map((file) => {
    const heading = file.slice(path.length + 1);
    return { anchor: anchorOf(heading), heading, level: 2, text: read(file), file };
  });
  const blocks = parts.map(
    ({ anchor, heading, text, file }) =>
      `<h2 id="${anchor}">${escapeHtml(heading)}</h2>\n${codeBlock(text, LANGUAGES[extname(file)] ?? '')}`,
  );
  const title = `Example: ${basename(path)}`;
  const sections = [{ anchor: '', heading: title, level: 1, text: '' }, ...parts.slice(0, 1)];
  return { title, html: `<h1>${escapeHtml(title)}</h1>\n${blocks.join('')}`, sections, targets: [] };
}

const RENDERERS: Readonly<Record<Exclude<Target['kind'], 'file'>, (target: Target) => Rendered>> = {
  markdown: (target) => render(read(target.path), target),
  source: sourcePage,
  folder: examplePage,
};

/**
 * Makes all pages: those of docs/, and what they link to in the repository. Returns the files that are copied as well.
 * Throws Error for a link to a file that does not exist.
 */
export function makePages(): { pages: readonly Page[]; copied: readonly Target[] } {
  const wanted = new Map(firstPages().map((target) => [target.address, target]));
  const pages: Page[] = [];
  const copied: Target[] = [];
  // The map grows while it is read.
  for (const target of wanted.values()) {
    if (target.kind === 'file') {
      copied.push(target);
      continue;
    }
    const page = { ...RENDERERS[target.kind](target), target };
    pages.push(page);
    for (const next of page.targets) if (!wanted.has(next.address)) wanted.set(next.address, { ...next, anchor: '' });
  }
  return { pages, copied };
}
