import { followLog, followRun, type LogLine, readLog } from '../client/following.ts';
import { namespacePath, needNamespace, openService, type Service, treePath } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  good,
  type Outcome,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { type Colour, paint, type Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  follow: { type: 'boolean', short: 'f' },
  workflow: { type: 'string', short: 'w' },
  server: { type: 'boolean' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const COLOURS: Readonly<Record<string, Colour>> = { error: 'red', warn: 'yellow', debug: 'grey' };

/** A line of a log for people. */
export function lineText(terminal: Pick<Terminal, 'hasColour'>, { t, level, msg }: LogLine): string {
  const colour = COLOURS[level];
  const text = colour === undefined ? msg : paint(terminal, colour, msg);
  return `${paint(terminal, 'grey', t)} ${text}`;
}

/** What is asked for: the log of a run ends with it. */
interface Log {
  readonly path: string;
  readonly run?: string;
}

function logOf({ server, workflow }: Values, [name, ...more]: readonly string[], service: Service): Log {
  const kinds = [server === true, workflow !== undefined, name !== undefined].filter(Boolean).length;
  if (kinds > 1 || more.length > 0) throw new UsageError('name one of an instance, a workflow and --server');
  if (server === true) return { path: '/api/logs' };
  const namespace = needNamespace(service);
  const base = namespacePath(namespace);
  const run = name !== undefined && UUID.test(name) ? `${base}/instances/${name}` : undefined;
  if (run !== undefined) return { path: `${run}/logs`, run };
  const path = workflow ?? name;
  return { path: path === undefined ? `${base}/logs` : `${treePath(namespace, path)}?op=logs` };
}

async function run(values: Values, rest: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const log = logOf(values, rest, service);
  const show = (line: LogLine) => terminal.write(`${values.json ? JSON.stringify(line) : lineText(terminal, line)}\n`);
  if (values.follow && log.run !== undefined) {
    const { status } = await followRun(service, log.run, show);
    return { text: '', isGood: status === 'complete' };
  }
  if (values.follow) {
    for await (const line of followLog(service, log.path, terminal.signal)) await show(line);
    throw new CommandFailedError('the log ended');
  }
  if (!values.json) {
    for await (const line of readLog(service, log.path)) await show(line);
    return good('');
  }
  const lines: LogLine[] = [];
  for await (const line of readLog(service, log.path)) lines.push(line);
  return good(toJson(lines));
}

export const logs = defineCommand({
  about: 'Shows the log of a run, a workflow, a namespace or the server',
  usage: ['logs [-f] INSTANCE', 'logs [-f] [--workflow] PATH', 'logs [-f]', 'logs [-f] --server'],
  notes: [
    '-f, --follow      goes on with what comes; the log of a run ends with the run, and with 1 unless it completed',
    '-w, --workflow P  the log of a workflow',
    '--server          the log of the server itself',
    'With --json and --follow each line is a JSON object of its own.',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  run,
});
