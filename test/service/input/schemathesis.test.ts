import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cases, SEED } from '../../effort.ts';
import { installPackage, UnavailableError } from '../../emulator/python-packages.ts';
import { openClient } from '../access/client.ts';

const PACKAGE = 'schemathesis==4.32.5';
const HOOKS = fileURLToPath(new URL('./schemathesis-checks.py', import.meta.url));
const SECONDS = cases(20, 60);
const MAX_MS = 300_000;
const CHECKS = ['no_fault', 'response_schema_conformance', 'status_code_conformance', 'content_type_conformance'];

/** Schemathesis reads the shapes of a tuple as those of a list. */
const withoutTuples = (description: string): string =>
  JSON.stringify(JSON.parse(description), (_, value) =>
    value !== null && typeof value === 'object' && 'prefixItems' in value ? { type: 'array' } : value,
  );

test(
  'requests generated from the OpenAPI description find no fault, and every reply has its declared shape',
  async ({ skip }) => {
    const installed = await installPackage(PACKAGE).catch((error: unknown) => {
      if (error instanceof UnavailableError) return error.message;
      throw error;
    });
    if (typeof installed === 'string') return skip(installed);
    const client = await openClient();
    const folder = mkdtempSync(join(tmpdir(), 'weft-schemathesis-'));
    try {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, withoutTuples((await client.call('GET', '/api/openapi.json')).text));
      const limits = ['--phases', 'examples,coverage,fuzzing', '--max-time', String(SECONDS), '--seed', String(SEED)];
      const asked = ['--url', `${client.url}/api`, '--header', `Service-Api-Key:${client.key}`];
      const args = ['-m', 'schemathesis.cli', 'run', file, ...asked, ...limits, '--checks', CHECKS.join(',')];
      const child = spawn(installed.python, [...args, '--continue-on-failure', '--warnings', 'off', '--no-color'], {
        cwd: folder,
        env: {
          ...process.env,
          SCHEMATHESIS_HOOKS: 'schemathesis-checks',
          PYTHONPATH: [installed.packages, dirname(HOOKS)].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
        },
      });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      console.log(/\d+ generated[^\n]*/.exec(said)?.[0] ?? said.slice(-500), `(seed ${SEED})`);
      expect(code, said.slice(0, 20_000)).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
      await client.close();
    }
  },
  MAX_MS,
);
