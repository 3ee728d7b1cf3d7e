import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSite, type SiteSize } from '../../bin/site/build.ts';
import { deadLinks } from '../../bin/site/dead-links.ts';
import { exampleIndex } from '../../bin/site/example-index.ts';
import { type Found, openIndex } from '../../web/site/search.ts';
import questions from './questions.json' with { type: 'json' };

/** Bytes of the site without the pictures of the console. */
const MOST_BYTES = 5_000_000;

let folder: string;
let size: SiteSize;

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'weft-site-')), 'site');
  size = await buildSite(folder);
});

afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

describe('the documentation as pages', () => {
  test('has a page for each text of docs/, and for the examples and files that they link to', () => {
    const texts = globSync('docs/**/*.md').length;
    const pages = globSync('**/*.html', { cwd: folder });
    expect(pages.length).toBe(size.pages);
    expect(size.pages).toBeGreaterThan(texts + globSync('examples/*/workflow.yaml').length);
    const pictures = globSync('console/*.png', { cwd: folder }).reduce((sum, path) => sum + read(path).length, 0);
    expect(size.bytes - pictures).toBeLessThan(MOST_BYTES);
    expect(JSON.parse(read('openapi.json'))).toHaveProperty('openapi');
  });

  test('has the index of the examples, which is as they are (else: npm run docs)', () => {
    expect(readFileSync('examples/README.md', 'utf8')).toBe(exampleIndex());
    expect(read('examples/index.html')).toContain('refund-approval/index.html');
  });

  test('runs only its own scripts, asks no other host, and has its text without them', () => {
    for (const path of globSync('**/*.html', { cwd: folder })) {
      const html = read(path);
      expect(html).toContain("script-src 'self'");
      expect(html).not.toMatch(/<script>|<style|\bstyle=|\bon\w+="|<(script|link|img)[^>]+(src|href)="https?:/);
      expect(html).toMatch(/<main id="content">\n<h1/);
    }
  });

  test('shows a text as GitHub does: headings with anchors, tables, code, and sequence diagrams as lists', () => {
    expect(read('runs.html')).toContain('<h2 id="why-did-it-fail">Why did it fail?</h2>');
    expect(read('starts.html')).toMatch(/<span class="tok-propertyName[^"]*">start<\/span>/);
    expect(read('performance.html')).not.toContain('&lt;!--');
    const threads = read('threads.html');
    expect(threads).toContain('<li><b>client</b> → <b>gateway</b>: API Gateway</li>');
    expect(threads).not.toContain('sequenceDiagram');
    expect(threads.split('<ol').length).toBe(threads.split('</ol>').length);
  });

  test('marks the current page in its list of pages, also on the pages below it', () => {
    expect(read('starts.html')).toContain('<a href="starts.html" aria-current="page">Starts</a>');
    expect(read('states/delay.html')).toContain('<a href="index.html" aria-current="true">States</a>');
  });
});

describe('a dead link', () => {
  test('is a link to a file or to a place that does not exist', () => {
    const pages = new Map([
      [
        'a.html',
        '<a href="b/c.html#d"></a><a href="b/c.html#e"></a><a href="x.html"></a><a href="https://e.example"></a>',
      ],
      ['b/c.html', '<h2 id="d"></h2><a href="#d"></a><img src="../p.png"><img src="q.png">'],
    ]);
    const dead = ['a.html links to b/c.html#e', 'a.html links to x.html', 'b/c.html links to q.png'];
    expect(deadLinks(pages, new Set(['p.png']))).toEqual(dead);
  });
});

describe('the search', () => {
  let search: (words: string) => Found[];

  beforeAll(() => {
    search = openIndex(read(globSync('assets/search-*.json', { cwd: folder })[0] ?? ''));
  });

  test(`finds the page for each of ${questions.length} questions of a new user in its first three results`, () => {
    const missed = questions.flatMap(({ words, page }) => {
      const found = search(words).slice(0, 3);
      return found.some((one) => one.page === page) ? [] : [`${words}: ${found.map((one) => one.page).join(', ')}`];
    });
    expect(missed).toEqual([]);
    expect(questions.length).toBeGreaterThanOrEqual(20);
  });

  test('finds a name by a part of it, by its beginning, and with a mistake', () => {
    for (const words of ['consumeEvent', 'consume', 'aproval']) expect(search(words).length, words).toBeGreaterThan(0);
    expect(search('cancelOn')[0]?.page).toMatch(/^(events|failures)\.html$/);
    expect(search('aproval')[0]?.page).toBe('states/approval.html');
  });

  test('finds nothing for words that stand nowhere, and for none', () => {
    expect(search('qzxwvy')).toEqual([]);
    expect(search('how do I')).toEqual([]);
  });
});
