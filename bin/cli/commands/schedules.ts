import { listAt, textAt, textsAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import { limitOf, limitOption } from '../shell/limit.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { limit: limitOption('starts', 'the earliest first'), ...NAMESPACE_OPTION, ...TARGET_OPTIONS } as const;

type Values = ValuesOf<typeof OPTIONS>;

async function schedulesOf(values: Values, terminal: Terminal): Promise<readonly unknown[]> {
  const { service, base } = await openNamespace(values, terminal);
  return listAt(await service.call('GET', `${base}/schedules`), 'schedules');
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const rows = await schedulesOf(values, terminal);
  const nextOf = (row: unknown) => textsAt(row, 'next')[0] ?? 'never';
  const cells = rows.map((row) => [textAt(row, 'workflow'), nextOf(row), textAt(row, 'cron')]);
  return result(values, rows, () => toTable([['WORKFLOW', 'NEXT', 'CRON'], ...cells]));
}

async function next(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const most = Number(limitOf(values));
  const rows = await schedulesOf(values, terminal);
  const starts = rows
    .flatMap((row) => textsAt(row, 'next').map((at) => ({ at, workflow: textAt(row, 'workflow') })))
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .slice(0, most);
  return result(values, starts, () =>
    toTable([['AT', 'WORKFLOW'], ...starts.map(({ at, workflow }) => [at, workflow])]),
  );
}

export const schedules = defineVerbs({
  about: 'Lists the workflows that the clock starts, and their next starts',
  usage: ['schedules [list]', 'schedules next [--limit N]'],
  notes: ['Of each workflow, the next five starts are listed.'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: { list: { takes: [], run: list }, next: { takes: [], run: next } },
});
