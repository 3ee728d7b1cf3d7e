import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ASSEMBLIES } from './assemblies.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_MS = 600_000;

test.skipIf(process.env[ASSEMBLIES] === undefined)(
  'the proof of an installation deploys, tests and destroys it, and reports each check',
  async () => {
    const { startMiniStack } = await import('../emulator/ministack.ts');
    const stack = await startMiniStack({ waitScale: 1 });
    const folder = await mkdtemp(join(tmpdir(), 'weft-proof-report-'));
    try {
      const report = join(folder, 'proof.md');
      const checks = ['--check', 'tests', '--tests', 'service/tree/revisions', '--check', 'units'];
      const args = ['--yes', ...checks, '--report', report];
      const { stdout } = await run(process.execPath, [join(ROOT, 'bin/proof.ts'), ...args], {
        cwd: ROOT,
        env: { ...process.env, AWS_ENDPOINT_URL: stack.url },
        maxBuffer: 64 * 1024 * 1024,
        timeout: MAX_MS,
      }).catch((error: { stdout?: string; stderr?: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`.slice(-4000));
      });
      expect(stdout).toContain('3 passed, 0 failed');
      const outcomes = [...(await readFile(report, 'utf8')).matchAll(/^\| ([^|]+) \| (passed|skipped) \|/gm)];
      expect(outcomes.map(([, name, outcome]) => [name, outcome])).toEqual([
        ['deployed', 'passed'],
        ['the black-box tests', 'passed'],
        ['metered units beside the counted ones', 'skipped'],
        ['destroyed', 'passed'],
      ]);
    } finally {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  MAX_MS,
);
