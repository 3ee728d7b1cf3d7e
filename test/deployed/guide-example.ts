import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startMiniStack } from '../emulator/ministack.ts';
import { installPackage } from '../emulator/python-packages.ts';
import { CREDENTIALS, REGION } from './deployment.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The command line of AWS, as a Python package. */
const AWS = 'awscli==1.42.40';
const MAX_MS = 300_000;

/** The commands of the page about deploying, and the output that it shows. */
async function exampleIn(page: string): Promise<{ readonly commands: string; readonly expected: string }> {
  const text = await readFile(page, 'utf8');
  const section = text.slice(text.indexOf('\n## Deploy\n'));
  const [, commands = '', expected = ''] = /```sh\n([\s\S]+?)```\s+```text\n([\s\S]+?)```/.exec(section) ?? [];
  return { commands, expected };
}

async function writeProgram(folder: string, name: string, lines: readonly string[]): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, ['#!/bin/bash', ...lines, ''].join('\n'));
  await chmod(file, 0o755);
}

/**
 * The environment of the commands: a home with settings for the emulator, the command line of AWS, and a `curl` that
 * replaces the URLs of API Gateway by those of the emulator.
 */
async function prepareHome(home: string, emulator: string): Promise<NodeJS.ProcessEnv> {
  const { python, packages } = await installPackage(AWS);
  const programs = join(home, 'bin');
  await mkdir(programs);
  await writeFile(
    join(home, '.cdk.json'),
    JSON.stringify({ context: { streaming: 'false', retain: 'false', protect: 'false' } }),
  );
  await writeProgram(programs, 'aws', [`PYTHONPATH="${packages}" exec "${python}" -m awscli "$@"`]);
  const address = `s#https://([a-z0-9]+)[.]execute-api[.][^/]*/prod#${emulator}/restapis/\\1/prod/_user_request_#`;
  await writeProgram(programs, 'curl', [
    'args=()',
    `for one in "$@"; do args+=("$(sed -E '${address}' <<<"$one")"); done`,
    `PATH=$(cut -d: -f2- <<<"$PATH") exec curl "\${args[@]}"`,
  ]);
  return {
    ...process.env,
    HOME: home,
    PATH: [programs, process.env['PATH']].join(delimiter),
    CI: '1',
    AWS_ENDPOINT_URL: emulator,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
}

/** Runs the commands of docs/deploying.md, and returns whether their output is the one that the page shows. */
export async function followGuide(): Promise<boolean> {
  const { commands, expected } = await exampleIn(join(ROOT, 'docs/deploying.md'));
  const home = await mkdtemp(join(tmpdir(), 'weft-guide-'));
  const stack = await startMiniStack({ waitScale: 1 });
  try {
    const env = await prepareHome(home, stack.url);
    const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, timeout: MAX_MS };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands], options);
    const isRight = expected !== '' && stdout.trimEnd().endsWith(expected.trimEnd());
    if (!isRight) console.log(`docs/deploying.md shows\n${expected}\nbut the output is\n${stdout.slice(-2000)}`);
    return isRight;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
    console.log(
      `the commands of docs/deploying.md failed: ${message.slice(0, 200)}\n${`${stdout}\n${stderr}`.slice(-3000)}`,
    );
    return false;
  } finally {
    await stack.stop();
    await rm(home, { recursive: true, force: true });
  }
}
