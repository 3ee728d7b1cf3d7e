import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The JSON report of the test runner, with the uncaught errors of `noteUncaught` as files that failed. */
export interface Report {
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

export interface Outcome {
  readonly file: string;
  /** The file and the test. */
  readonly name: string;
  readonly status: string;
}

/** The environment variable with the path of the file that `noteUncaught` writes. */
const UNCAUGHT = 'WEFT_UNCAUGHT';

/**
 * Records an error that no test caught. The JSON report leaves such errors out, and the exit code does not distinguish
 * them from failed tests: so every configuration sets this function as its `onUnhandledError`.
 */
export function noteUncaught(error: { readonly message?: string }): void {
  const { message = '', VITEST_TEST_PATH: name } = error as { message?: string; VITEST_TEST_PATH?: string };
  const file = process.env[UNCAUGHT];
  // An error without a file: a process of the runner itself ended. The report lists the files it had not finished.
  if (file === undefined || name === undefined) return;
  appendFileSync(file, `${JSON.stringify({ name, status: 'failed', message, assertionResults: [] })}\n`);
}

function uncaughtIn(file: string): Report['testResults'] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Report['testResults'][number]);
}

/**
 * Runs the tests whose paths contain one of the words, or all tests when there are none.
 * @throws Error when the runner failed although no test failed.
 */
export async function runTests(
  words: readonly string[],
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  const [file, uncaught] = [join(folder, 'report.json'), join(folder, 'uncaught.json')];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn('vitest', ['run', ...flags, ...reporters, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...environment, [UNCAUGHT]: uncaught },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const written = JSON.parse(await readFile(file, 'utf8')) as Report;
  const report = { ...written, testResults: [...written.testResults, ...uncaughtIn(uncaught)] };
  await rm(folder, { recursive: true });
  if (code !== 0 && failuresOf(report).length === 0) throw new Error('the test runner failed, though no test did');
  return report;
}

/** Every test, and each file that failed as a whole. */
export function* outcomesOf({ testResults }: Report): Generator<Outcome> {
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    for (const { fullName, status: one } of assertionResults) yield { file, name: `${file} ${fullName}`, status: one };
    const isBroken = status === 'failed' && !assertionResults.some((one) => one.status === 'failed');
    if (isBroken) yield { file, name: `${file} as a whole: ${message.slice(0, 200)}`, status: 'failed' };
  }
}

export function failuresOf(report: Report): Outcome[] {
  return [...outcomesOf(report)].filter(({ status }) => status === 'failed');
}

export function passedIn(report: Report): number {
  return [...outcomesOf(report)].filter(({ status }) => status === 'passed').length;
}
