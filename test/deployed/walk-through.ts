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
/** The command line of AWS, in the version that comes as a Python package. */
const AWS = 'awscli==1.42.40';
const LONGEST_MS = 300_000;

/** The commands of the page about deploying, and the output that it shows. */
async function wordsOf(page: string): Promise<{ readonly typed: string; readonly shown: string }> {
  const text = await readFile(page, 'utf8');
  const section = text.slice(text.indexOf('\n## Deploy\n'));
  const [, typed = '', shown = ''] = /```sh\n([\s\S]+?)```\s+```text\n([\s\S]+?)```/.exec(section) ?? [];
  return { typed, shown };
}

async function writeProgram(folder: string, name: string, lines: readonly string[]): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, ['#!/bin/bash', ...lines, ''].join('\n'));
  await chmod(file, 0o755);
}

/** What stands in for the world: a home with the emulator's settings, the command line of AWS, addresses of the emulator. */
async function furnish(home: string, emulator: string): Promise<NodeJS.ProcessEnv> {
  const { python, packages } = await installPackage(AWS);
  const programs = join(home, 'bin');
  await mkdir(programs);
  await writeFile(join(home, '.cdk.json'), JSON.stringify({ context: { streaming: 'false', retain: 'false' } }));
  await writeProgram(programs, 'aws', [`PYTHONPATH="${packages}" exec "${python}" -m awscli "$@"`]);
  const address = `s#https://([a-z0-9]+)[.]execute-api[.][^/]*/prod#${emulator}/restapis/\\1/prod/_user_request_#`;
  await writeProgram(programs, 'curl', [
    'told=()',
    `for one in "$@"; do told+=("$(sed -E '${address}' <<<"$one")"); done`,
    `PATH=$(cut -d: -f2- <<<"$PATH") exec curl "\${told[@]}"`,
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
  const { typed, shown } = await wordsOf(join(ROOT, 'docs/deploying.md'));
  const home = await mkdtemp(join(tmpdir(), 'weft-walk-'));
  const stack = await startMiniStack({ waitScale: 1 });
  try {
    const env = await furnish(home, stack.url);
    const how = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024, timeout: LONGEST_MS };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', typed], how);
    const isRight = shown !== '' && stdout.trimEnd().endsWith(shown.trimEnd());
    if (!isRight) console.log(`docs/deploying.md shows\n${shown}\nand the output was\n${stdout.slice(-2000)}`);
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
