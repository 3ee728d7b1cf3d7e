import { setTimeout } from 'node:timers/promises';
import { closestName } from '../../../lib/language/suggestions.ts';
import { nextTick, parseCron } from '../../../lib/time/cron/cron.ts';
import { toTimestamp } from '../../../lib/time/timestamps.ts';
import { textAt } from '../client/replies.ts';
import { type Service, toFailure, treePath } from '../client/service.ts';
import { rateOf } from '../inspection/bulk-rerun.ts';
import { CommandFailedError, counted, type Outcome, result, UsageError } from '../shell/command.ts';
import { openProgress } from '../shell/progress.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Which planned times of a workflow are started, and how. */
export interface Backfill {
  readonly namespace: string;
  readonly workflow: string;
  /** RFC 3339. Both times are included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly rate: string | undefined;
  /** The input of each run; undefined: that of a run that the clock starts. */
  readonly input: Uint8Array<ArrayBuffer> | undefined;
  readonly isConfirmed: boolean;
  readonly json: boolean | undefined;
}

interface Row {
  readonly at: string;
  readonly instance?: string;
  /** The run existed before. */
  readonly existing?: boolean;
}

/** The most starts of one call. */
const MAX_STARTS = 1000;

/** How long a start that a limit rejects waits by default, seconds. */
const RETRY_S = 5;

/** The value of an option, milliseconds since 1970. Throws UsageError. */
function timeOf(name: string, text: string | undefined): number {
  const ms = Date.parse(text ?? '');
  if (!Number.isNaN(ms)) return ms;
  const problem = text === undefined ? `--${name} is missing` : `--${name} is '${text}'`;
  throw new UsageError(`${problem}; write it like --${name} 2026-01-31T08:00:00Z`);
}

/** The cron pattern of a workflow by the list of schedules. Throws CommandFailedError. */
function cronOf(schedules: readonly unknown[], { workflow, namespace }: Backfill): string {
  const path = `/${workflow.replace(/^\/+/, '')}`;
  const row = schedules.find((one) => textAt(one, 'workflow') === path);
  if (row !== undefined) return textAt(row, 'cron');
  const near = closestName(
    path,
    schedules.map((one) => textAt(one, 'workflow')),
  );
  const hint = near === undefined ? "'weft schedules' lists those that it starts" : `did you mean '${near}'?`;
  throw new CommandFailedError(`the clock starts no workflow '${path}' in '${namespace}'; ${hint}`);
}

/** The planned times of a pattern, from the first time to the second one. Throws UsageError for too many. */
function plannedTimes(text: string, wanted: Backfill): number[] {
  const [from, to] = [timeOf('from', wanted.from), timeOf('to', wanted.to)];
  if (to < from) throw new UsageError(`--to is before --from; the earlier time is --from`);
  if (to > Date.now()) throw new UsageError(`--to is in the future; the clock itself starts the runs of that time`);
  const cron = parseCron(text);
  if ('problem' in cron) throw new CommandFailedError(`'${wanted.workflow}' is never started: ${cron.problem}`);
  const times: number[] = [];
  for (let at = nextTick(cron, from - 1); at !== undefined && at <= to; at = nextTick(cron, at)) {
    if (times.length === MAX_STARTS) {
      const last = toTimestamp(times.at(-1) ?? from);
      throw new UsageError(`more than ${MAX_STARTS} starts are planned; --to ${last} is the most for one call`);
    }
    times.push(at);
  }
  return times;
}

/** Starts the run of a planned time. A start that a limit of the service rejects is repeated. Throws CommandFailedError. */
async function start(service: Service, { namespace, workflow, input }: Backfill, at: string): Promise<Row> {
  const path = `${treePath(namespace, workflow)}?${new URLSearchParams({ op: 'execute', scheduled: at })}`;
  for (;;) {
    const response = await service.send('POST', path, input === undefined ? {} : { body: input });
    if (response.status < 400) {
      const existing = response.headers.get('existing') === 'true';
      return { at, instance: textAt(await response.json(), 'instance'), existing };
    }
    const failure = await toFailure(response, service.signal);
    if (response.status !== 429) throw failure;
    const seconds = Number(response.headers.get('retry-after')) || RETRY_S;
    await setTimeout(1000 * seconds, undefined, { signal: service.signal });
  }
}

async function startAll(service: Service, wanted: Backfill, times: readonly string[], terminal: Terminal) {
  const everyMs = 1000 / rateOf(wanted.rate);
  const progress = openProgress(terminal, 'backfill', times.length);
  const rows: Row[] = [];
  try {
    for (const at of times) {
      const begun = Date.now();
      rows.push(await start(service, wanted, at));
      progress.step();
      await setTimeout(Math.max(begun + everyMs - Date.now(), 0), undefined, { signal: service.signal });
    }
  } finally {
    progress.end();
  }
  return rows;
}

/**
 * Starts a workflow for each of its planned times in a period, the earliest first, if that is confirmed; else lists the
 * times. A time has one run, whoever starts it, so that a repeated call goes on after an interruption. Throws UsageError,
 * CommandFailedError.
 */
export async function backfill(
  service: Service,
  schedules: readonly unknown[],
  wanted: Backfill,
  terminal: Terminal,
): Promise<Outcome> {
  rateOf(wanted.rate);
  const times = plannedTimes(cronOf(schedules, wanted), wanted).map(toTimestamp);
  if (!wanted.isConfirmed) {
    const summary = `${counted(times.length, 'start')}; nothing was started${times.length > 0 ? ', --yes starts them' : ''}`;
    return result(wanted, { starts: times }, () => [...times, summary].join('\n'));
  }
  const rows = await startAll(service, wanted, times, terminal);
  const existing = rows.filter((row) => row.existing).length;
  const lines = rows.map(({ at, instance = '', ...row }) => `${at}  ${instance}${row.existing ? '  existed' : ''}`);
  const summary = `started ${counted(rows.length - existing, 'run')}; ${existing} existed`;
  return result(wanted, { started: rows.length - existing, existing, starts: rows }, () =>
    [...lines, summary].join('\n'),
  );
}
