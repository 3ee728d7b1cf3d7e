import { type Coverage, coverageOf } from '../../../lib/testing/coverage.ts';
import type { ObservedRun } from '../../../lib/testing/observation.ts';
import type { PreparedCase, TestWorkflow } from '../../../lib/testing/prepared.ts';
import type { CaseResult, SuiteResult } from '../../../lib/testing/results.ts';
import type { Terminal } from '../shell/terminal.ts';
import { readTests } from './files.ts';
import { type PreparedSuite, prepareSuite } from './preparation.ts';

/** Runs one case of a file. */
export type CaseRunner = (file: string, prepared: PreparedCase) => Promise<CaseResult>;

/** The cases to run, and the function that runs them. */
export interface Session {
  readonly terminal: Terminal;
  /** Files, folders and workflows. */
  readonly paths: readonly string[];
  /** Whether a case is run, by its name. */
  readonly isWanted: (name: string) => boolean;
  readonly run: CaseRunner;
  /** Whether a file of tests is run; without it, all are. */
  readonly concerns?: (suite: PreparedSuite) => boolean;
}

/** The results of a session, and the coverage of the workflows of its cases by their files. */
export interface SessionResult {
  readonly suites: readonly SuiteResult[];
  readonly coverage: ReadonlyMap<string, Coverage>;
}

/** Collects the runs of workflows by their files. */
class CoverageCollector {
  readonly #workflows = new Map<string, TestWorkflow>();
  readonly #runs = new Map<string, ObservedRun[]>();

  add({ workflows }: PreparedCase, { seen }: CaseResult): void {
    for (const workflow of workflows.values()) {
      this.#workflows.set(workflow.file, workflow);
      const runs = (seen?.runs ?? []).filter(({ path }) => path === workflow.path);
      this.#runs.set(workflow.file, [...(this.#runs.get(workflow.file) ?? []), ...runs]);
    }
  }

  get result(): ReadonlyMap<string, Coverage> {
    const sorted = [...this.#workflows].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return new Map(sorted.map(([file, { plan }]) => [file, coverageOf(plan, this.#runs.get(file) ?? [])]));
  }
}

const skipped = (file: string, { test: { name, line, skip } }: PreparedCase): CaseResult => ({
  name,
  file,
  line,
  status: 'skipped',
  failures: [],
  harms: [],
  crashes: 0,
  reason: skip,
  seen: undefined,
  ms: 0,
});

async function runSuite(
  { file, cases, problems }: PreparedSuite,
  { isWanted, run, terminal }: Session,
  coverage: CoverageCollector,
): Promise<SuiteResult> {
  const results: CaseResult[] = [];
  for (const prepared of cases) {
    if (!isWanted(prepared.test.name)) continue;
    terminal.signal.throwIfAborted();
    const result = prepared.test.skip === undefined ? await run(file, prepared) : skipped(file, prepared);
    coverage.add(prepared, result);
    results.push(result);
  }
  return { file, cases: results, problems };
}

/** Runs all cases one after the other. Throws UsageError for an argument that names no tests. */
export async function runSession(session: Session): Promise<SessionResult> {
  const { terminal, paths } = session;
  const coverage = new CoverageCollector();
  const suites: SuiteResult[] = [];
  for (const source of await readTests(terminal, paths)) {
    const suite = await prepareSuite(terminal, source);
    if (session.concerns?.(suite) ?? true) suites.push(await runSuite(suite, session, coverage));
  }
  return { suites, coverage: coverage.result };
}
