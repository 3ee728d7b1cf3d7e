import { bytesAt, rowsAt, textAt, textsAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  defineCommand,
  good,
  type Outcome,
  runVerb,
  shown,
  toTable,
  UsageError,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  workflow: { type: 'string', short: 'w' },
  status: { type: 'string' },
  limit: { type: 'string' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const STATUSES = ['pending', 'complete', 'failed', 'crashed', 'cancelled'];
const HEAD = ['ID', 'STATUS', 'BEGUN', 'WORKFLOW', 'BY', 'ERROR'];

/** The filters of a list of runs (rest-api reference, 2.3). */
function queryOf({ workflow, status, limit = '20' }: Values): string {
  if (!/^\d{1,9}$/.test(limit)) throw new UsageError(`--limit is a number, and not '${limit}'`);
  if (status !== undefined && !STATUSES.includes(status)) {
    throw new UsageError(`the status '${status}' is none of ${STATUSES.join(', ')}`);
  }
  const filters = [
    ...(workflow === undefined ? [] : [['AS', 'WORKFLOW', workflow.replace(/^\/+/, '')]]),
    ...(status === undefined ? [] : [['STATUS', 'MATCH', status]]),
  ];
  const query = new URLSearchParams({ limit });
  for (const [field = '', type = '', value = ''] of filters) {
    query.append('filter.field', field);
    query.append('filter.type', type);
    query.append('filter.val', value);
  }
  return String(query);
}

/** The status of a run in its colour, as wide as asked. */
export function statusText(terminal: Terminal, status: string): string {
  const colour = ({ complete: 'green', pending: 'cyan' } as const)[status] ?? 'red';
  return paint(terminal, colour, status);
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const query = queryOf(values);
  const { service, base } = await openNamespace(values, terminal);
  const rows = rowsAt(await service.call('GET', `${base}/instances?${query}`), 'instances') ?? [];
  const cells = rows.map((row) => {
    const [id, begun, as, by, code] = ['id', 'createdAt', 'as', 'invoker', 'errorCode'].map((name) =>
      textAt(row, name),
    );
    return [id ?? '', textAt(row, 'status'), begun ?? '', as ?? '', by ?? '', code ?? ''];
  });
  return shown(values, rows, () => toTable([HEAD, ...cells]));
}

const pathOf = (base: string, id: string): string => `${base}/instances/${encodeURIComponent(id)}`;

async function get(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', pathOf(base, id));
  const told = ['id', 'status', 'as', 'invoker', 'createdAt', 'updatedAt', 'errorCode', 'errorMessage']
    .map((name) => [name, textAt(reply, 'instance', name)] as const)
    .map(([name, text]) => [name, name === 'status' ? statusText(terminal, text) : text]);
  const flow = ['flow', textsAt(reply, 'flow').join(' > ')];
  return shown(values, reply, () => toTable([...told, flow].filter(([, text]) => text !== '')));
}

const data =
  (kind: 'input' | 'output') =>
  async (values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> => {
    const { service, base } = await openNamespace(values, terminal);
    const reply = await service.call('GET', `${pathOf(base, id)}/${kind}`);
    return good(bytesAt(reply, 'data').toString('utf8'));
  };

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  get: { takes: ['INSTANCE'], run: get },
  input: { takes: ['INSTANCE'], run: data('input') },
  output: { takes: ['INSTANCE'], run: data('output') },
};

export const instances = defineCommand({
  about: 'Lists runs, and shows one, its input or its output',
  usage: [
    `instances [list] [--workflow PATH] [--status ${STATUSES.join('|')}] [--limit N]`,
    'instances get INSTANCE',
    'instances input INSTANCE',
    'instances output INSTANCE',
  ],
  notes: [
    '-w, --workflow P  runs of the workflows whose path begins so',
    '--status STATUS   runs that stand so',
    '--limit N         at most so many, the newest first (else 20)',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest.length === 0 ? ['list'] : rest, terminal),
});
