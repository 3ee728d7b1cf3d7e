import { openService } from '../client/service.ts';
import { TARGET_OPTIONS } from '../client/target.ts';
import {
  type Command,
  CommandFailedError,
  defineCommand,
  needArguments,
  type Outcome,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { openProgress } from '../shell/progress.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { applyPlan } from '../transfer/apply.ts';
import { hasOperations, type PlanItem } from '../transfer/plan.ts';
import type { Remote } from '../transfer/remote.ts';
import { planLine, resultLine, summary, toRecord } from '../transfer/report.ts';
import type { Comparison } from '../workflows/comparison.ts';

const OPTIONS = {
  to: {
    type: 'string',
    value: 'PROFILE',
    help: 'profile of the service of the second namespace (default: the same service)',
  },
  ...TARGET_OPTIONS,
} as const;
const PROMOTE_OPTIONS = {
  yes: { type: 'boolean', short: 'y', help: 'do not ask for confirmation' },
  ...OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Pair {
  readonly source: Remote;
  readonly target: Remote;
}

async function open(values: Values, [from = '', to = '']: readonly string[], terminal: Terminal): Promise<Pair> {
  const note = (text: string) => terminal.printStatus(paint(terminal, 'yellow', `note: ${text}`));
  const { to: profile, ...own } = values;
  const service = await openService(own, terminal);
  const other = profile === undefined ? service : await openService({ profile }, terminal);
  return { source: { service, namespace: from, note }, target: { service: other, namespace: to, note } };
}

const isChange = ({ change }: PlanItem): boolean => change !== 'unchanged';

/** Loaded late: the libraries are large, and few commands need them. */
const loadComparison = () => import('../workflows/comparison.ts');

/** The changes with the differences of their sources. */
async function planText({ target }: Pair, { plan, onlyInTarget }: Comparison, terminal: Terminal): Promise<string> {
  const { differenceText } = await import('../workflows/differences.ts');
  const lines: string[] = [];
  for (const item of plan.filter(isChange)) {
    const more = await differenceText(target, terminal, item);
    lines.push(planLine(terminal, item), ...(more === '' ? [] : [more]));
  }
  const only = onlyInTarget.length === 0 ? [] : [`only in ${target.namespace}: ${onlyInTarget.join(', ')}`];
  return [...lines, ...only].join('\n');
}

/** Compares two namespaces as `diff` does: the exit code is 1 if they differ. */
export const diff: Command = defineCommand({
  about: 'Compares the workflows of two namespaces; the exit code is 1 if they differ',
  usage: ['diff NAMESPACE NAMESPACE [--to PROFILE]'],
  notes: ['Prints what would bring the second namespace into the state of the first.'],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('diff', ['NAMESPACE', 'NAMESPACE'], args);
    const pair = await open(values, args, terminal);
    const { withComparison } = await loadComparison();
    return withComparison(pair.source, pair.target, terminal, async (comparison): Promise<Outcome> => {
      const { plan, onlyInTarget } = comparison;
      const isSame = !plan.some(isChange) && onlyInTarget.length === 0;
      const records = { items: plan.filter(isChange).map((item) => toRecord({ item })), onlyInTarget };
      if (values.json) return { text: toJson(records), isSuccess: isSame };
      return { text: isSame ? 'no differences' : await planText(pair, comparison, terminal), isSuccess: isSame };
    });
  },
});

async function isConfirmed(isYes: boolean, { target }: Pair, count: number, terminal: Terminal): Promise<boolean> {
  if (isYes) return true;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `nothing was changed: ${count} changes in '${target.namespace}' need --yes; 'weft diff' prints them`,
    );
  }
  return /^y(es)?$/i.test((await terminal.ask(`Make these ${count} changes in '${target.namespace}'? [y/N] `)).trim());
}

async function apply(pair: Pair, { plan }: Comparison, isJson: boolean, terminal: Terminal): Promise<Outcome> {
  const changed = plan.filter(hasOperations);
  const progress = openProgress(terminal, 'promote', changed.length);
  const results = await applyPlan(pair.target, changed, progress.step).finally(progress.end);
  const isSuccess = results.every(({ failure, item }) => failure === undefined && item.change !== 'conflict');
  if (isJson) return { text: toJson(results.map(toRecord)), isSuccess };
  return { text: [...results.map((one) => resultLine(terminal, one)), summary(changed, 'done')].join('\n'), isSuccess };
}

export const promote: Command = defineCommand({
  about: 'Brings the workflows of a namespace into the state of another one; it deletes nothing',
  usage: ['promote FROM TO [--to PROFILE] [--yes]'],
  notes: ['Revisions, tags, traffic, switches and variables of workflows are copied; secrets and settings are not.'],
  options: PROMOTE_OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('promote', ['FROM', 'TO'], args);
    const pair = await open(values, args, terminal);
    const { withComparison } = await loadComparison();
    return withComparison(pair.source, pair.target, terminal, async (comparison) => {
      const count = comparison.plan.filter(hasOperations).length;
      if (count === 0) return { text: 'no differences', isSuccess: true };
      const isJson = values.json === true;
      if (!isJson && values.yes !== true) await terminal.print(`${await planText(pair, comparison, terminal)}\n`);
      if (await isConfirmed(values.yes === true, pair, count, terminal))
        return apply(pair, comparison, isJson, terminal);
      throw new CommandFailedError('nothing was changed');
    });
  },
});
