import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole, type ConsoleSizes } from '../../bin/console/build.ts';

/** Bytes after gzip that the first load of a page may take, without the editor and the diagram. */
const MOST = 120_000;

/** Files of the first load: the page, its script, its style, its icon, and the theme, which is set before the first paint. */
const MOST_FILES = 5;

let folder: string;
let sizes: ConsoleSizes;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-console-'));
  sizes = await buildConsole(join(folder, 'console'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the build of the console', () => {
  test(`loads at most ${MOST / 1000} kB in ${MOST_FILES} files at first, whichever page it is`, () => {
    const files = Object.keys(sizes.first);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FILES);
    const whole = Object.values(sizes.first).reduce((sum, size) => sum + size, 0);
    expect(whole).toBeGreaterThan(30_000);
    expect(whole).toBeLessThanOrEqual(MOST);
  });

  test('loads the diagram in one more file', async () => {
    const known = new Set(Object.keys(sizes.first).map((name) => name.split(' ')[0]));
    const layout = Object.keys(sizes.later).find((name) => name.endsWith('web/parts/diagram/layout.ts'));
    const [file = ''] = layout?.split(' ') ?? [];
    const code = await readFile(join(folder, 'console', 'assets', file), 'utf8');
    const imported = [...code.matchAll(/from"\.\/([^"]+)"/g)].map(([, name]) => name);
    expect(imported.filter((name) => !known.has(name))).toEqual([]);
  });

  test('loads the editor and the diagram when they are shown, not before', () => {
    const later = Object.keys(sizes.later).join('\n');
    expect(later).toContain('web/parts/editor/codemirror.ts');
    expect(later).toContain('web/parts/diagram/layout.ts');
    expect(later).toContain('web/parts/chart/plot.ts');
  });

  test('names every file of the page, and leaves no placeholder but the base and what is beside the console', async () => {
    const page = await readFile(join(folder, 'console', 'index.html'), 'utf8');
    expect(page.match(/\{\{\w+\}\}/g)).toEqual(['{{beside}}', '{{base}}']);
  });
});
