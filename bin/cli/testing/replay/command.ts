import { access, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { type Bundle, readBundle } from '../../../../lib/testing/bundles/bundle.ts';
import { prepareReplay } from '../../../../lib/testing/bundles/case.ts';
import { divergences } from '../../../../lib/testing/bundles/comparison.ts';
import { testText } from '../../../../lib/testing/bundles/regression.ts';
import { exact, ROUNDINGS } from '../../../../lib/testing/bundles/rounding.ts';
import { failuresOf } from '../../../../lib/testing/checking.ts';
import type { Observation } from '../../../../lib/testing/observation.ts';
import { CommandFailedError, importOrExplain, type Outcome, toJson, UsageError } from '../../shell/command.ts';
import { readText } from '../../shell/files.ts';
import type { Terminal } from '../../shell/terminal.ts';
import { patienceOf } from '../options.ts';
import { presentWorkflow, type ReplayedWorkflow, recordedWorkflow } from './workflow.ts';

/** The values of the options of `weft replay`. */
export interface ReplayValues {
  readonly workflow?: string | undefined;
  readonly 'write-test'?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: boolean | undefined;
}

type Engine = typeof import('../embedded/disturbed-case.ts');

async function openBundle(terminal: Terminal, file: string): Promise<Bundle> {
  const read = readBundle(await readText(terminal, file));
  if ('problem' in read) throw new UsageError(`${file} ${read.problem}`);
  return read.bundle;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const TEST = /\.test\.ya?ml$/;

/** Writes a file of tests with the case of the bundle, and the workflow if no file has it. Returns what it wrote. */
async function writeTest(
  { bundle, workflow, file, terminal }: ReplayContext & { readonly file: string },
  engine: Engine,
): Promise<string[]> {
  const target = resolve(terminal.cwd, file);
  if (!TEST.test(file)) throw new UsageError(`--write-test is '${file}'; the name of a test ends in .test.yaml`);
  if (await exists(target)) throw new UsageError(`${file} exists already; choose another name`);
  const source = resolve(dirname(target), `${bundle.workflow.path.split('/').at(-1)}.yaml`);
  const wrote: string[] = [];
  if (workflow.isRecorded) {
    await writeFile(source, bundle.workflow.source);
    wrote.push(`wrote ${relative(terminal.cwd, source)}, the revision that ran`);
  }
  const used = workflow.isRecorded ? source : resolve(terminal.cwd, workflow.file);
  const test = await roundedCase({ bundle, workflow, terminal }, engine);
  await writeFile(target, testText(relative(dirname(target), used), test));
  return [...wrote, `wrote ${file}; run it with 'weft test ${file}'`];
}

/** The context of a replay. */
interface ReplayContext {
  readonly bundle: Bundle;
  readonly workflow: ReplayedWorkflow;
  readonly terminal: Terminal;
}

/** The case with whole seconds, in the first rounding with which the recorded revision passes the case. */
async function roundedCase({ bundle, workflow }: ReplayContext, { runCase }: Engine) {
  const recorded = recordedWorkflow(bundle);
  const patience = patienceOf();
  for (const round of ROUNDINGS) {
    const { observation } = await runCase(prepareReplay(bundle, recorded, round), {}, patience);
    const prepared = prepareReplay(bundle, workflow, round);
    if (failuresOf(prepared.test.expect, observation, recorded.path).length === 0) return prepared.test;
  }
  throw new CommandFailedError(
    'no test can be written: the revision that ran does something else with what the bundle has; replay it without --write-test',
  );
}

const outcomeText = ({ states, status }: { readonly states: readonly string[]; readonly status: string }): string =>
  `${states.join(' → ')}: ${status}`;

interface Replayed {
  readonly seen: Observation;
  readonly differs: readonly string[];
  /**
   * The differences between the recorded run and a replay of its own revision: the bundle lacks data that the run had.
   */
  readonly gaps: readonly string[];
}

async function replay({ bundle, workflow }: ReplayContext, { runCase }: Engine, patience: number): Promise<Replayed> {
  const run = async (one: ReplayedWorkflow): Promise<Observation> =>
    (await runCase(prepareReplay(bundle, one, exact), {}, patience)).observation;
  const seen = await run(workflow);
  const isSame = workflow.source === bundle.workflow.source;
  const gaps = divergences(bundle, isSame ? seen : await run(recordedWorkflow(bundle)));
  return { seen, gaps, differs: isSame ? [] : divergences(bundle, seen).filter((one) => !gaps.includes(one)) };
}

function replayText({ bundle, workflow }: ReplayContext, { seen, differs, gaps }: Replayed): string {
  const isSame = workflow.source === bundle.workflow.source;
  return [
    `run      ${outcomeText(bundle.outcome)}`,
    `replay   ${outcomeText(seen)}`,
    `workflow ${workflow.file}${isSame ? ', the revision that ran' : ', another revision than the one that ran'}`,
    ...bundle.notes.map((note) => `note: ${note}`),
    ...(gaps.length > 0
      ? ['the revision that ran does something else in the replay; the bundle lacks something:']
      : []),
    ...gaps.map((one) => `  ${one}`),
    ...(differs.length > 0 ? ['the present revision goes another way:'] : []),
    ...differs.map((one) => `  ${one}`),
    ...(differs.length + gaps.length === 0 ? ['the same way, the same result'] : []),
  ].join('\n');
}

/** Runs `weft replay`. Throws UsageError and CommandFailedError. */
export async function replayBundle(values: ReplayValues, file: string, terminal: Terminal): Promise<Outcome> {
  const bundle = await openBundle(terminal, file);
  const patience = patienceOf(values.timeout);
  const workflow = await presentWorkflow(terminal, file, { bundle, named: values.workflow });
  const engine = await importOrExplain(() => import('../embedded/disturbed-case.ts'));
  const context = { bundle, workflow, terminal };
  const replayed = await replay(context, engine, patience);
  const target = values['write-test'];
  const wrote = target === undefined ? [] : await writeTest({ ...context, file: target }, engine);
  const isSuccess = replayed.differs.length + replayed.gaps.length === 0;
  if (values.json) {
    const { seen, differs, gaps } = replayed;
    const { status, error, output, states } = seen;
    return {
      text: toJson({ workflow: workflow.file, status, error, output, states, differs, gaps, wrote }),
      isSuccess,
    };
  }
  return { text: [replayText(context, replayed), ...wrote].join('\n'), isSuccess };
}
