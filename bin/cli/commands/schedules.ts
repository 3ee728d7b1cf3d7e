import { listAt, textAt, textsAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import { limitOf, limitOption } from '../shell/limit.ts';
import type { Terminal } from '../shell/terminal.ts';
import * as backfills from '../workflows/backfill.ts';

const OPTIONS = {
  limit: limitOption('starts', 'the earliest first'),
  from: { type: 'string', value: 'TIME', help: 'backfill: the first time, as 2026-01-31T08:00:00Z' },
  to: { type: 'string', value: 'TIME', help: 'backfill: the last time' },
  input: { type: 'string', short: 'i', value: 'FILE', help: 'backfill: input of each run (default: as by the clock)' },
  rate: { type: 'string', value: 'N', help: 'backfill: so many starts a second (default: 10)' },
  yes: { type: 'boolean', short: 'y', help: 'backfill: start the runs; by default their times are listed' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

async function open(values: Values, terminal: Terminal) {
  const opened = await openNamespace(values, terminal);
  const reply = await opened.service.call('GET', `${opened.base}/schedules`);
  return { ...opened, rows: listAt(reply, 'schedules') };
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { rows } = await open(values, terminal);
  const nextOf = (row: unknown) => textsAt(row, 'next')[0] ?? 'never';
  const cells = rows.map((row) => [textAt(row, 'workflow'), nextOf(row), textAt(row, 'cron')]);
  return result(values, rows, () => toTable([['WORKFLOW', 'NEXT', 'CRON'], ...cells]));
}

async function next(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const most = Number(limitOf(values));
  const { rows } = await open(values, terminal);
  const starts = rows
    .flatMap((row) => textsAt(row, 'next').map((at) => ({ at, workflow: textAt(row, 'workflow') })))
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .slice(0, most);
  return result(values, starts, () =>
    toTable([['AT', 'WORKFLOW'], ...starts.map(({ at, workflow }) => [at, workflow])]),
  );
}

async function backfill(values: Values, [workflow = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { from, to, rate, json, yes: isConfirmed = false } = values;
  const input = values.input === undefined ? undefined : await readBytes(terminal, values.input);
  const { service, namespace, rows } = await open(values, terminal);
  return backfills.backfill(service, rows, { namespace, workflow, from, to, rate, input, isConfirmed, json }, terminal);
}

export const schedules = defineVerbs({
  about: 'Lists the workflows that the clock starts, and their next starts; starts the runs of past times',
  usage: [
    'schedules [list]',
    'schedules next [--limit N]',
    'schedules backfill WORKFLOW --from TIME --to TIME [--input FILE] [--rate N] [--yes]',
  ],
  notes: [
    'Of each workflow, the next five starts are listed.',
    'A planned time has one run: backfill starts none for a time that the clock has started, or a backfill before.',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    next: { takes: [], run: next },
    backfill: { takes: ['WORKFLOW'], run: backfill },
  },
});
