import { resolve } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { isAllowedPath } from '../../../lib/compiler/plan/subflows.ts';
import { resolvePath } from '../../../lib/engine/variables/tree-files.ts';
import { formatProblem, type Problem } from '../../../lib/language/problem.ts';
import { decodeSuite } from '../../../lib/testing/format/decode.ts';
import { functionKey, keyOfName } from '../../../lib/testing/format/function-keys.ts';
import { type Reachable, unknownNames, unknownToAll } from '../../../lib/testing/format/references.ts';
import type { Mock, TestCase, TestSuite } from '../../../lib/testing/format/suite.ts';
import type { PreparedCase, TestWorkflow } from '../../../lib/testing/prepared.ts';
import type { Terminal } from '../shell/terminal.ts';
import {
  findWorkflow,
  type Roots,
  readWorkflow,
  rootsOf,
  type SourceFile,
  treePathOf,
  workflowPaths,
} from './files.ts';

/** A file of tests, ready to run. */
export interface PreparedSuite {
  readonly file: string;
  readonly source: string;
  readonly cases: readonly PreparedCase[];
  /** The problems of the file and of its workflows, for the user. A case with a problem is not in `cases`. */
  readonly problems: readonly string[];
  /** Those of the file itself, with their places. */
  readonly ownProblems: readonly Problem[];
}

const problemText = ({ file, source }: SourceFile, problem: Problem): string =>
  `${file}:${formatProblem(problem, source)}`;

/** The folder to which paths are relative. */
type Place = Pick<Terminal, 'cwd'>;

/** Collects the workflows of one case. */
class WorkflowReader {
  readonly workflows = new Map<string, TestWorkflow>();
  readonly missing: string[] = [];
  readonly problems: string[] = [];
  readonly #roots: Roots;

  constructor(roots: Roots) {
    this.#roots = roots;
  }

  /** Adds a workflow; undefined and a problem if it does not compile. */
  add(
    found: SourceFile,
    path = treePathOf(this.#roots, resolve(this.#roots.cwd, found.file)),
  ): TestWorkflow | undefined {
    const known = this.workflows.get(path);
    if (known !== undefined) return known;
    const compiled = compile(found.source);
    if ('problems' in compiled) {
      this.problems.push(...compiled.problems.map((problem) => problemText(found, problem)));
      return undefined;
    }
    const workflow = { path, ...found, plan: compiled.plan };
    this.workflows.set(path, workflow);
    return workflow;
  }

  /** Adds the subflows of a workflow, and theirs, without those that are mocked. */
  async addSubflows({ path, file, plan }: TestWorkflow, isMocked: (key: string) => boolean): Promise<void> {
    for (const [id, called] of Object.entries(plan.functions)) {
      if (called.type !== 'subflow' || isMocked(functionKey(path, id))) continue;
      for (const named of called.allowed ?? [called.workflow]) {
        for (const target of await this.#targetsOf(path, named)) {
          if (this.workflows.has(target)) continue;
          const found = await findWorkflow(this.#roots, target);
          if (found === undefined)
            this.missing.push(`no file has the subflow '/${target}', which '${id}' in ${file} calls`);
          const added = found && this.add(found, target);
          if (added !== undefined) await this.addSubflows(added, isMocked);
        }
      }
    }
  }

  /** The paths that a workflow names by one, or by one with a `*`. */
  async #targetsOf(path: string, named: string): Promise<readonly string[]> {
    const [withoutRef = ''] = named.split(':');
    const target = resolvePath(`/${path}`, withoutRef);
    if (!target.includes('*')) return [target.slice(1)];
    const paths = await workflowPaths(this.#roots);
    return paths.filter((one) => isAllowedPath(target, one)).map((one) => one.slice(1));
  }
}

class SuiteReader {
  readonly problems: string[] = [];
  readonly ownProblems: Problem[] = [];
  readonly #source: SourceFile;
  readonly #roots: Roots;
  readonly #reachable: Reachable[] = [];
  readonly #shared = new Map<string, Mock>();

  constructor(source: SourceFile, roots: Roots) {
    this.#source = source;
    this.#roots = roots;
  }

  async prepare(test: TestCase): Promise<PreparedCase[]> {
    const reader = new WorkflowReader(this.#roots);
    const [main, ...others] = await Promise.all(
      [test.workflow, ...test.others].map((name) => this.#read(test, name, reader)),
    );
    this.#note(reader.problems);
    if (main === undefined || others.includes(undefined)) return [];
    const keyed = test.mocks.map((mock) => [keyOfName(mock.function, main.path), mock] as const);
    const mocks = new Map(keyed);
    for (const one of [...reader.workflows.values()]) await reader.addSubflows(one, (key) => mocks.has(key));
    this.#note(reader.problems);
    const plans = new Map([...reader.workflows].map(([path, { plan }]) => [path, plan]));
    const reachable = { main: main.path, plans };
    this.#reachable.push(reachable);
    for (const mock of test.mocks) if (mock.isShared) this.#shared.set(mock.function, mock);
    const unknown = unknownNames(test, reachable);
    this.#noteOwn(unknown);
    if (reader.problems.length + unknown.length > 0) return [];
    return [{ test, main, workflows: reader.workflows, mocks, missing: reader.missing }];
  }

  /** Reports the mocks of the file that are of no case. */
  finish(): void {
    for (const mock of this.#shared.values()) {
      const problem = unknownToAll(mock, this.#reachable);
      if (problem !== undefined) this.#noteOwn([problem]);
    }
  }

  async #read(test: TestCase, name: string, reader: WorkflowReader): Promise<TestWorkflow | undefined> {
    const found = await readWorkflow(this.#roots, this.#source.file, name);
    if (found !== undefined) return reader.add(found);
    const hint = 'its path is relative to this file';
    this.#noteOwn([{ ...test, message: `there is no workflow file '${name}'`, hint }]);
    return undefined;
  }

  #noteOwn(problems: readonly Problem[]): void {
    this.ownProblems.push(...problems);
    this.#note(problems.map((problem) => problemText(this.#source, problem)));
  }

  /** A problem of several cases is one problem. */
  #note(problems: readonly string[]): void {
    for (const problem of problems) if (!this.problems.includes(problem)) this.problems.push(problem);
  }
}

/** Decodes a file of tests and reads the workflows of its cases. Problems are returned, all of them. */
export async function prepareSuite(place: Place, source: SourceFile): Promise<PreparedSuite> {
  const decoded = decodeSuite(source.source);
  if ('problems' in decoded) {
    const { problems } = decoded;
    const texts = problems.map((problem) => problemText(source, problem));
    return { ...source, cases: [], problems: texts, ownProblems: problems };
  }
  return prepareCases(place, source, decoded.suite);
}

async function prepareCases(place: Place, source: SourceFile, suite: TestSuite): Promise<PreparedSuite> {
  const reader = new SuiteReader(source, await rootsOf(place, source.file, suite.folders));
  const cases: PreparedCase[] = [];
  for (const test of suite.cases) cases.push(...(await reader.prepare(test)));
  reader.finish();
  const { problems, ownProblems } = reader;
  return { ...source, cases, problems, ownProblems };
}
