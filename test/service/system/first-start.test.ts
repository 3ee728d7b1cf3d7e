import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../access/process.ts';

test('a generated key is printed at the first start only; later only the place of its file is printed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-first-start-'));
  const first = await startProcess(folder, '');
  await first.end('SIGTERM');
  const key = (await readFile(join(folder, 'api-key'), 'utf8')).trim();
  expect(key.length).toBeGreaterThanOrEqual(32);
  expect(first.greeting).toContain(`Key: ${key}`);

  const second = await startProcess(folder, '');
  await second.end('SIGTERM');
  expect(second.greeting).toContain(`Key: in the file ${join(folder, 'api-key')}`);
  expect(second.greeting.join('\n')).not.toContain(key);
  await rm(folder, { recursive: true });
});
