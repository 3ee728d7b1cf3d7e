import { setTimeout } from 'node:timers/promises';
import { at, textAt } from '../client/replies.ts';
import type { Service } from '../client/service.ts';
import { counted, type Outcome, success, toJson, UsageError } from '../shell/command.ts';
import { openProgress } from '../shell/progress.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Which runs are repeated, and how. */
export interface BulkRerun {
  /** The path of the namespace. */
  readonly base: string;
  /** The query with the filters. */
  readonly query: URLSearchParams;
  readonly rate: string | undefined;
  /** Which calls of a state that failed are made again. */
  readonly repeat: 'all' | 'failed';
  readonly isDryRun: boolean;
  readonly isConfirmed: boolean;
  readonly isJson: boolean;
}

interface Row {
  readonly instance: string;
  readonly rerun: string;
  readonly skipped: string;
}

const DEFAULT_RATE = '10';
const MAX_RATE = 100;

/** The value of `--rate`: runs a second. Throws UsageError. */
export function rateOf(text = DEFAULT_RATE): number {
  const rate = Number(text);
  if (/^\d+$/.test(text) && rate >= 1 && rate <= MAX_RATE) return rate;
  throw new UsageError(`--rate is '${text}'; it is a number of runs a second from 1 to ${MAX_RATE}`);
}

const listAt = (reply: unknown, name: string): readonly unknown[] => {
  const list = at(reply, name);
  return Array.isArray(list) ? list : [];
};

function rowsOf(reply: unknown): Row[] {
  const text = (row: unknown, name: string): string => textAt(row, name);
  return listAt(reply, 'instances').map((row) => ({
    instance: text(row, 'instance'),
    rerun: text(row, 'rerun'),
    skipped: text(row, 'skipped'),
  }));
}

/**
 * The warnings of replies as lines, each once: `warning: the state 'pay' sends the HTTP request of the function 'bank' again`.
 * Of several runs, a line has the number of runs to which it applies.
 */
export function warningLines(replies: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const reply of replies) {
    for (const warning of listAt(reply, 'warnings')) {
      const message = textAt(warning, 'message');
      counts.set(message, (counts.get(message) ?? 0) + 1);
    }
  }
  return [...counts].map(([message, count]) => {
    const runs = replies.length === 1 ? '' : ` (${count} of ${replies.length} runs)`;
    return `warning: ${message}${runs}`;
  });
}

const lineOf = ({ instance, rerun, skipped }: Row): string =>
  skipped === '' ? `${instance}  ${rerun === '' ? 'would be repeated' : rerun}` : `${instance}  skipped: ${skipped}`;

const selected = (total: number): string => `${counted(total, 'run')} ${total === 1 ? 'is' : 'are'} selected`;

async function isWanted(total: number, { isConfirmed }: BulkRerun, terminal: Terminal): Promise<boolean> {
  if (isConfirmed) return true;
  if (!terminal.isInteractive) {
    throw new UsageError(`nothing was started: ${selected(total)}; --yes repeats them, --dry-run lists them`);
  }
  return /^y(es)?$/i.test((await terminal.ask(`Repeat ${counted(total, 'run')}? [y/N] `)).trim());
}

/** Repeats the runs until none is left, a part of them each second. */
async function repeatAll(
  service: Service,
  wanted: BulkRerun,
  { begin, onRow }: { readonly begin: string; readonly onRow: (row: Row) => void },
): Promise<Row[]> {
  const rows: Row[] = [];
  const limit = rateOf(wanted.rate);
  for (let after = ''; ; ) {
    const begun = Date.now();
    const body = { dryRun: false, at: begin, limit, after, repeat: wanted.repeat };
    const reply = await service.call('POST', `${wanted.base}/instances?${wanted.query}`, body);
    for (const row of rowsOf(reply)) {
      rows.push(row);
      onRow(row);
    }
    after = textAt(reply, 'next');
    if (after === '') return rows;
    const wait = 1000 * Math.max(Number(textAt(reply, 'retryAfter') || 0), 1) - (Date.now() - begun);
    await setTimeout(Math.max(wait, 0), undefined, { signal: service.signal });
  }
}

/**
 * Repeats the runs that the filters select: lists them, asks for confirmation, and repeats them at the rate. Runs that were
 * repeated already are skipped by the service, so that the same command continues after an interruption. Throws UsageError.
 */
export async function rerunMany(service: Service, wanted: BulkRerun, terminal: Terminal): Promise<Outcome> {
  rateOf(wanted.rate);
  const plan = await service.call('POST', `${wanted.base}/instances?${wanted.query}`, {
    dryRun: true,
    limit: MAX_RATE,
    repeat: wanted.repeat,
  });
  const warnings = warningLines(listAt(plan, 'instances').filter((row) => textAt(row, 'skipped') === ''));
  const total = Number(textAt(plan, 'total'));
  const listed = rowsOf(plan);
  if (wanted.isDryRun || total === 0) {
    const more = total > listed.length ? [`and ${total - listed.length} more`] : [];
    const text = [...listed.map(lineOf), ...more, ...warnings, `${selected(total)}; nothing was started`].join('\n');
    return success(wanted.isJson ? toJson(plan) : text);
  }
  if (!wanted.isJson) for (const line of warnings) terminal.printStatus(line);
  if (!(await isWanted(total, wanted, terminal))) return success('nothing was started');
  // A terminal shows a bar instead of the lines.
  const progress = openProgress(terminal, 'rerun', total);
  const isSilent = wanted.isJson || terminal.drawStatus !== undefined;
  const onRow = (row: Row) => {
    progress.step();
    if (!isSilent) terminal.printStatus(lineOf(row));
  };
  const rows = await repeatAll(service, wanted, { begin: textAt(plan, 'at'), onRow }).finally(progress.end);
  const repeated = rows.filter(({ rerun }) => rerun !== '').length;
  if (wanted.isJson) return success(toJson({ repeated, skipped: rows.length - repeated, instances: rows }));
  return success(`repeated ${counted(repeated, 'run')}, skipped ${rows.length - repeated}`);
}
