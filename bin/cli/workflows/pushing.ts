import { needNamespace, type Service } from '../client/service.ts';
import { findFolderConfig, NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  counted,
  type Outcome,
  ServiceUnreachableError,
  toJson,
  UsageError,
} from '../shell/command.ts';
import { onceForEach, openProgress } from '../shell/progress.ts';
import type { Terminal } from '../shell/terminal.ts';
import { applyPlan, type ItemResult } from '../transfer/apply.ts';
import { type DesiredState, latestOf } from '../transfer/desired-state.ts';
import { readFolder } from '../transfer/folder.ts';
import { hasOperations, makePlan, mapConcurrently, type PlanItem } from '../transfer/plan.ts';
import type { Remote } from '../transfer/remote.ts';
import { planLine, resultLine, summary, toRecord } from '../transfer/report.ts';
import { problemTexts, validateFile } from '../transfer/validation.ts';
import { warningsAbout } from '../transfer/warnings.ts';
import { setTag } from './history.ts';
import { pruningItems } from './pruning.ts';

/** The options that every push has, those of the namespace last. */
export const PUSH_OPTIONS = {
  'dry-run': { type: 'boolean', help: 'print what would change, with differences and prices; send nothing' },
  prune: { type: 'boolean', help: 'delete workflows of the directory that the folder does not contain' },
  yes: { type: 'boolean', short: 'y', help: 'do not ask before --prune deletes' },
  'no-validate': { type: 'boolean', help: 'do not validate workflows before they are sent' },
  'keep-extension': { type: 'boolean', help: 'the file wf.yaml is the workflow wf.yaml instead of wf' },
  quiet: { type: 'boolean', short: 'q', help: 'print only failures' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

/** The options of a push that decide what it prints and asks. */
export interface PushValues {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly tag?: string | undefined;
}

/** The options of a push. */
export interface PushJob {
  readonly service: Service;
  readonly terminal: Terminal;
  readonly source: { readonly name: string; readonly as?: string | undefined; readonly keepsExtension: boolean };
  readonly skipsValidation: boolean;
  readonly prunes?: boolean;
  /** The tag that names the pushed revisions. */
  readonly tag?: string | undefined;
  /** Asked before workflows are deleted. */
  readonly confirm?: (paths: readonly string[]) => Promise<boolean>;
}

async function requireValid(desired: DesiredState, cwd: string): Promise<void> {
  const validated = await Promise.all(desired.workflows.map((workflow) => validateFile(latestOf(workflow).file, cwd)));
  const texts = validated.flatMap(problemTexts);
  if (texts.length === 0) return;
  const count = validated.reduce((sum, { problems }) => sum + problems.length, 0);
  const problems = counted(count, 'problem');
  throw new CommandFailedError(`${problems}, nothing was sent\n${texts.join('\n')}`);
}

async function read({ terminal, source }: PushJob): Promise<DesiredState> {
  // Only for a path that is not given.
  const home = source.as === undefined ? (await findFolderConfig(terminal.cwd))?.folder : undefined;
  const desired = await readFolder({ ...source, cwd: terminal.cwd, home });
  if (desired.workflows.length === 0) {
    throw new UsageError(`${source.name} contains no workflow; the files of workflows end in .yaml or .yml`);
  }
  return desired;
}

/** The results of a push, and the paths of its workflows. */
export interface PushResult {
  readonly results: readonly ItemResult[];
  readonly paths: readonly string[];
}

interface Prepared {
  readonly remote: Remote;
  readonly desired: DesiredState;
  readonly plan: readonly PlanItem[];
}

/** Validates the files and makes the plan. Throws UsageError, CommandFailedError, ServiceUnreachableError. */
async function prepare(job: PushJob): Promise<Prepared> {
  const { service, terminal, skipsValidation, prunes } = job;
  const desired = await read(job);
  if (!skipsValidation) await requireValid(desired, terminal.cwd);
  const note = (text: string) => terminal.printStatus(`note: ${text}`);
  const remote = { service, namespace: needNamespace(service), note };
  if (!skipsValidation) {
    for (const text of await warningsAbout(desired, remote, terminal.cwd)) terminal.printStatus(`warning: ${text}`);
  }
  const plan = await makePlan({ remote, desired, cwd: terminal.cwd, skipsValidation: true });
  if (prunes !== true) return { remote, desired, plan };
  if (desired.root === undefined) throw new UsageError('--prune needs a folder, not a file');
  return { remote, desired, plan: [...plan, ...(await pruningItems(remote, desired, desired.root))] };
}

/**
 * Sends everything that differs from the service. Throws UsageError, CommandFailedError with all problems of invalid
 * workflows, ServiceUnreachableError.
 */
export async function push(job: PushJob): Promise<PushResult> {
  const { remote, desired, plan } = await prepare(job);
  const deleted = plan.filter(({ change }) => change === 'delete').map(({ name }) => name);
  const isAllowed = deleted.length === 0 || (await job.confirm?.(deleted)) === true;
  if (!isAllowed) throw new CommandFailedError('nothing was sent');
  const progress = openProgress(job.terminal, 'push', plan.filter(hasOperations).length);
  const onItem = onceForEach<PlanItem>((item) => (hasOperations(item) ? progress.step() : undefined));
  const results = await applyPlan(remote, plan, onItem).finally(progress.end);
  const paths = desired.workflows.map(({ path }) => path);
  const { tag } = job;
  const isComplete = !results.some(isFailure);
  if (tag !== undefined && isComplete) await mapConcurrently(paths, (path) => setTag(remote, path, 'latest', tag));
  return { results, paths };
}

/** Asks before workflows are deleted. Throws UsageError if the user cannot be asked. */
export const confirmation =
  (values: PushValues, terminal: Terminal) =>
  async (paths: readonly string[]): Promise<boolean> => {
    if (values.yes) return true;
    const what = `${counted(paths.length, 'workflow')} (${paths.slice(0, 5).join(', ')})`;
    if (!terminal.isInteractive) throw new UsageError(`nothing was sent: --prune deletes ${what}; add --yes`);
    return /^y(es)?$/i.test((await terminal.ask(`Delete ${what}? [y/N] `)).trim());
  };

/** The plan of a push with the differences of its workflows. Throws as `push`. */
export async function dryRun(job: PushJob, values: PushValues): Promise<Outcome> {
  const { terminal } = job;
  const { remote, plan } = await prepare(job);
  const items = plan.filter(({ kind }) => kind !== 'directory');
  const isSuccess = plan.every(({ change }) => change !== 'conflict');
  if (values.json) return { text: toJson(plan.map((item) => toRecord({ item }))), isSuccess };
  const { differenceText } = await import('../workflows/differences.ts');
  const lines: string[] = [];
  for (const item of plan.filter(({ change }) => change !== 'unchanged')) {
    const more = await differenceText(remote, terminal, item);
    lines.push(planLine(terminal, item), ...(more === '' ? [] : [more]));
  }
  return { text: [...lines, summary(items, 'planned')].join('\n'), isSuccess };
}

const isFailure = ({ item, failure }: ItemResult): boolean => failure !== undefined || item.change === 'conflict';
const isShown = ({ item }: ItemResult): boolean => item.kind !== 'directory' || item.change !== 'unchanged';

/** What a push did, one line a changed item; it is no success if an item failed. */
export function outcomeOf(values: PushValues, terminal: Terminal, results: readonly ItemResult[]): Outcome {
  const failed = results.filter(isFailure);
  const shown = values.quiet ? failed : results.filter(isShown);
  const pushed = results.map(({ item }) => item).filter(({ kind }) => kind !== 'directory');
  const { tag } = values;
  const untagged = tag === undefined ? '' : `, nothing is tagged ${tag}`;
  const tagged = tag === undefined ? '' : `, tagged ${tag}`;
  const end = failed.length === 0 ? `${summary(pushed, 'done')}${tagged}` : `${failed.length} failed${untagged}`;
  const text = [...shown.map((one) => resultLine(terminal, one)), end].join('\n');
  return { text: values.json ? toJson(results.map(toRecord)) : text, isSuccess: failed.length === 0 };
}

/** Whether a push failed for a reason that may be gone at the next one. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof CommandFailedError || error instanceof ServiceUnreachableError || error instanceof UsageError;
