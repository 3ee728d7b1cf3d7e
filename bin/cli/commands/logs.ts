import { ownMember } from '../../../lib/language/own-members.ts';
import { type LogRange, offsetOf } from '../client/log-ranges.ts';
import { namespacePath, needNamespace, openService, type Service, treePath } from '../client/service.ts';
import { followLog, followRun, type LogLine, readLog } from '../client/streams.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  inMilliseconds,
  type Outcome,
  success,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { type Colour, paint, type Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  follow: {
    type: 'boolean',
    short: 'f',
    help: 'also print new lines, for a run until its end; the exit code is 1 unless the run completes',
  },
  workflow: { type: 'string', short: 'w', value: 'PATH', help: 'log of a workflow' },
  server: { type: 'boolean', help: 'log of the server itself' },
  tail: { type: 'string', value: 'N', help: 'only the newest N lines' },
  since: {
    type: 'string',
    value: 'TIME',
    help: 'only lines since a time (2026-01-31T12:00:00Z) or the last 90s, 10m, 2h, 3d',
  },
  limit: { type: 'string', value: 'N', help: 'at most N lines, the oldest of those that are chosen' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COLOURS: Readonly<Record<string, Colour>> = { error: 'red', warn: 'yellow', debug: 'grey' };

/** A line of a log as text: time and message, coloured by its level. */
export function lineText(terminal: Pick<Terminal, 'hasColour'>, { t, level, msg }: LogLine): string {
  const colour = ownMember(COLOURS, level);
  const text = colour === undefined ? msg : paint(terminal, colour, msg);
  return `${paint(terminal, 'grey', inMilliseconds(t))} ${text}`;
}

/** The path of a log; for a run also that of the run. */
interface Log {
  readonly path: string;
  readonly run?: string;
}

function logOf({ server, workflow }: Values, [name, ...more]: readonly string[], service: Service): Log {
  const kinds = [server === true, workflow !== undefined, name !== undefined].filter(Boolean).length;
  if (kinds > 1 || more.length > 0) throw new UsageError('give only one of an instance, a workflow and --server');
  if (server === true) return { path: '/api/logs' };
  const namespace = needNamespace(service);
  const base = namespacePath(namespace);
  const run = name !== undefined && UUID.test(name) ? `${base}/instances/${name}` : undefined;
  if (run !== undefined) return { path: `${run}/logs`, run };
  const path = workflow ?? name;
  return { path: path === undefined ? `${base}/logs` : `${treePath(namespace, path)}?op=logs` };
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The time of `--since`, milliseconds since 1970. Throws UsageError. */
function timeOf(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * (ownMember(UNITS, unit) ?? 0);
  if (Number.isNaN(time))
    throw new UsageError(`--since is '${text}'; it must be a time or a number of s, m, h or d: 10m`);
  return time;
}

/** A number of lines. Throws UsageError. */
function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${option} is '${text}'; it must be a number`);
}

/** The lines that the options choose. Throws UsageError. */
function rangeOf({ tail, since, limit, follow }: Values): LogRange & { readonly limit: number } {
  if (follow && (tail ?? since ?? limit) !== undefined)
    throw new UsageError('--follow prints all lines; leave out --tail, --since and --limit');
  return {
    tail: countOf('tail', tail),
    since: since === undefined ? undefined : timeOf(since),
    limit: countOf('limit', limit) ?? Number.POSITIVE_INFINITY,
  };
}

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  const range = rangeOf(values);
  const service = await openService(values, terminal);
  const log = logOf(values, args, service);
  const print = (line: LogLine) => terminal.print(`${values.json ? JSON.stringify(line) : lineText(terminal, line)}\n`);
  if (values.follow && log.run !== undefined) {
    const { status } = await followRun(service, log.run, print);
    return { text: '', isSuccess: status === 'complete' };
  }
  if (values.follow) {
    for await (const line of followLog(service, log.path, terminal.signal)) await print(line);
    throw new CommandFailedError('the log ended');
  }
  const lines: LogLine[] = [];
  let count = 0;
  for await (const line of readLog(service, log.path, await offsetOf(service, log.path, range))) {
    count += 1;
    if (count > range.limit) break;
    if (values.json) lines.push(line);
    else await print(line);
  }
  return success(values.json ? toJson(lines) : '');
}

export const logs = defineCommand({
  about: 'Prints the log of a run, a workflow, a namespace or the server',
  usage: [
    'logs [-f] INSTANCE',
    'logs [-f] [--workflow] PATH',
    'logs [-f]',
    'logs [-f] --server',
    'logs --tail N [--since TIME] [--limit N] ...',
  ],
  notes: ['With --json and --follow, each line is a JSON object.'],
  options: OPTIONS,
  run,
});
