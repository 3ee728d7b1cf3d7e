import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchChanges } from '../../../bin/cli/shell/watching.ts';

let folder: string;
let stop: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-watching-'));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await rm(folder, { recursive: true });
});

/** The ways in which editors and Git save a file. */
const SAVES: Readonly<Record<string, (file: string, text: string) => Promise<void>>> = {
  'written in place': (file, text) => writeFile(file, text),
  'replaced by another file': async (file, text) => {
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  },
  'deleted and created': async (file, text) => {
    await rm(file);
    await writeFile(file, text);
  },
  'renamed to a backup and created': async (file, text) => {
    await rename(file, `${file}~`);
    await writeFile(file, text);
  },
};

test('each way to save a file is noticed, again and again, also in a folder that is new', async () => {
  await writeFile(join(folder, 'old.yaml'), '0');
  const changes = await watchChanges(folder, stop.signal);
  const next = () => Promise.race([changes.next(), new Promise((resolve) => setTimeout(resolve, 5000, 'unnoticed'))]);
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'sub', 'new.yaml'), '0');
  expect(await next()).toEqual({ done: false, value: undefined });
  const unnoticed: string[] = [];
  for (const file of ['old.yaml', 'sub/new.yaml']) {
    for (const [way, save] of Object.entries(SAVES)) {
      for (const text of ['1', '22']) {
        await save(join(folder, file), text);
        if ((await next()) === 'unnoticed') unnoticed.push(`${file} ${way} ${text}`);
      }
    }
  }
  expect(unnoticed).toEqual([]);
});
