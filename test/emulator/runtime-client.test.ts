import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFunctions } from '../../cdk/bundles.ts';
import { IS_FULL } from '../effort.ts';
import { DeployedSpace } from '../functions/deployed-space.ts';
import { UnavailableError } from './python-packages.ts';
import { installRuntimeClient, RunningFunction } from './runtime-client.ts';

const MAX_MS = 900_000;
const MB = 1_000_000;

const modulesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => /\.m?js$/.test(file))
    .sort();

/** The class of a number: the next multiple of a step above it. */
const classOf = (value: number, step: number): number => Math.ceil(value / step) * step;

/** AWS's own client of the Runtime API runs the bundles as Lambda does. It is compiled here, for CI alone: it takes minutes. */
describe.skipIf(!IS_FULL)('the runtime client of AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-bundles-'));
  let program = '';
  let reason = '';
  let bundles: ReadonlyMap<string, string>;
  let space: DeployedSpace;
  beforeAll(async () => {
    program = await installRuntimeClient().catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
      reason = error.message;
      return '';
    });
    bundles = bundleFunctions(folder);
    space = await DeployedSpace.open({ WEFT_STREAMING: 'true' });
  }, MAX_MS);
  afterAll(async () => {
    await space?.close();
    rmSync(folder, { recursive: true });
  });

  test('loads every bundle, each of a few modules and within a class of size and memory', { timeout: MAX_MS }, async ({
    skip,
  }) => {
    if (program === '') skip(reason);
    const found: Record<string, object> = {};
    const times: string[] = [];
    for (const [file, bundle] of [...bundles].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const running = await RunningFunction.start(program, bundle);
      const { cpuMs, memory } = running.coldStart;
      await running.close();
      const bytes = modulesIn(bundle).reduce((sum, name) => sum + statSync(join(bundle, name)).size, 0);
      found[file] = {
        modules: modulesIn(bundle),
        atMostMB: classOf(bytes, 0.5 * MB) / MB,
        atMostMemoryMB: classOf(memory, 150 * MB) / MB,
      };
      times.push(`${file}: ${(bytes / MB).toFixed(2)} MB, ${cpuMs} ms, ${Math.round(memory / MB)} MB resident`);
    }
    console.log(`cold starts: bundle, processor time of the start, memory\n${times.join('\n')}`);
    await expect(`${JSON.stringify(found, undefined, 2)}\n`).toMatchFileSnapshot('./cold-starts.json');
  });
});
