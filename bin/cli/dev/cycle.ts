import { resolve } from 'node:path';
import { REPORT_FORMATS } from '../../../lib/testing/reports/formats.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import type { PreparedSuite } from '../testing/preparation.ts';
import { type CaseRunner, runSession } from '../testing/session.ts';
import type { ItemResult } from '../transfer/apply.ts';
import { resultLine } from '../transfer/report.ts';
import { validateAll } from '../validation/files.ts';
import { FORMATS } from '../validation/formats.ts';

/** What one pass over a folder needs. The current folder of the terminal is the watched one. */
export interface Cycle {
  readonly terminal: Terminal;
  /** Sends everything that differs from the service, also if another file is invalid: the service refuses that one alone. */
  readonly send: () => Promise<readonly ItemResult[]>;
  readonly runCase: CaseRunner;
  /** The files that changed, absolute; undefined: all. */
  readonly changed: ReadonlySet<string> | undefined;
}

async function lint({ terminal }: Cycle): Promise<string[]> {
  const files = await validateAll(terminal, ['.']);
  return files.some(({ findings }) => findings.length > 0) ? [FORMATS.text(files, terminal)] : [];
}

async function send({ terminal, send: sendAll }: Cycle): Promise<string[]> {
  const sent = (await sendAll()).filter(({ item }) => item.change !== 'unchanged' && item.kind !== 'directory');
  return sent.map((one) => resultLine(terminal, one));
}

/** Whether a file of tests, or a workflow that one of its cases runs, is among the changed files. */
function isConcerned({ changed, terminal }: Cycle, { file, cases, problems }: PreparedSuite): boolean {
  if (changed === undefined || problems.length > 0) return true;
  const used = cases.flatMap(({ workflows }) => [...workflows.values()].map((one) => one.file));
  return [file, ...used].some((one) => changed.has(resolve(terminal.cwd, one)));
}

async function test(cycle: Cycle): Promise<string[]> {
  const { terminal, runCase } = cycle;
  const concerns = (suite: PreparedSuite) => isConcerned(cycle, suite);
  const { suites } = await runSession({ terminal, paths: ['.'], isWanted: () => true, concerns, run: runCase });
  if (suites.length === 0) return [];
  const report = { suites, coverage: undefined, seed: undefined };
  return [REPORT_FORMATS.text(report, (colour, words) => paint(terminal, colour, words))];
}

/** Lints the folder, sends what changed, and runs the tests of what changed; prints each part when it is done. */
export async function runCycle(cycle: Cycle, print: (lines: readonly string[]) => Promise<void>): Promise<void> {
  for (const part of [lint, send, test]) await print(await part(cycle));
}
