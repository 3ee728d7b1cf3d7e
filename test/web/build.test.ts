import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole, type ConsoleSizes } from '../../bin/console/build.ts';

/** Bytes after gzip that the first load of a page may take, without the editor and the diagram. */
const MOST = 120_000;

let folder: string;
let sizes: ConsoleSizes;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-console-'));
  sizes = await buildConsole(join(folder, 'console'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the build of the console', () => {
  test(`loads at most ${MOST / 1000} kB for the first page, whichever it is`, () => {
    expect(Object.keys(sizes.pages).length).toBeGreaterThan(15);
    expect(Object.entries(sizes.pages).filter(([, size]) => size > MOST)).toEqual([]);
  });

  test('loads the editor and the diagram when they are shown, not before', () => {
    const later = Object.keys(sizes.later).join('\n');
    expect(later).toContain('web/parts/editor/codemirror.ts');
    expect(later).toContain('web/parts/diagram/layout.ts');
    expect(later).toContain('web/parts/chart/plot.ts');
  });

  test('names every file of the page, and leaves no placeholder but the base', async () => {
    const page = await readFile(join(folder, 'console', 'index.html'), 'utf8');
    expect(page.match(/\{\{\w+\}\}/g)).toEqual(['{{base}}']);
  });
});
