import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What the test runner reports. */
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

/** Runs the tests whose paths hold one of the words, all without any, and answers what the runner reports. */
export async function runTests(
  words: readonly string[],
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-test-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn('vitest', ['run', ...flags, ...reporters, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const report = JSON.parse(await readFile(file, 'utf8')) as Report;
  await rm(folder, { recursive: true });
  if (code !== 0 && failuresOf(report).length === 0) throw new Error('the test runner failed, though no test did');
  return report;
}

/** Every test, and each file that is broken as a whole. */
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
