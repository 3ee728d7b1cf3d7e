import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { ownMember } from '../../../lib/language/own-members.ts';
import { at, bytesAt, rowsAt, statusOf, textAt, textsAt } from '../client/replies.ts';
import { openNamespace, type Service } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { rerunMany, warningLines } from '../inspection/bulk-rerun.ts';
import { FILTER_OPTIONS, filtersOf } from '../inspection/filters.ts';
import { failureLines, stepText, timelineText, waitingText } from '../inspection/timelines.ts';
import {
  CommandFailedError,
  data,
  defineVerbs,
  inMilliseconds,
  type Outcome,
  result,
  success,
  toJson,
  toTable,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { limitOf, limitOption } from '../shell/limit.ts';
import { paint, type Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...FILTER_OPTIONS,
  limit: limitOption('runs'),
  state: { type: 'string', value: 'STATE', help: 'show: the data that this state saw at its last visit' },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'bundle: the file (default: INSTANCE.bundle.json)' },
  from: { type: 'string', value: 'STATE', help: 'rerun: begin at this state with the data recorded there' },
  latest: { type: 'boolean', help: 'rerun: use the newest revision of the workflow' },
  patch: { type: 'string', value: 'JSON', help: 'rerun: change the data first, by a list of operations of RFC 6902' },
  'repeat-all': { type: 'boolean', help: 'rerun: of a state that failed, make all calls again, not those that failed' },
  'dry-run': { type: 'boolean', help: 'rerun: list the selected runs and what they do again, start none' },
  rate: { type: 'string', value: 'N', help: 'rerun: so many selected runs a second (default: 10)' },
  yes: { type: 'boolean', short: 'y', help: 'rerun: do not ask for confirmation' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const HEAD = ['ID', 'STATUS', 'STARTED', 'DURATION', 'WORKFLOW', 'INVOKER', 'ERROR'];

/** How long a run took, or has taken: `1.250 s`. */
function durationText(row: unknown): string {
  const isPending = textAt(row, 'status') === 'pending';
  const end = isPending ? Date.now() : Date.parse(textAt(row, 'updatedAt'));
  const ms = end - Date.parse(textAt(row, 'createdAt'));
  return Number.isNaN(ms) ? '' : `${(Math.max(ms, 0) / 1000).toFixed(3)} s`;
}

/** The query of a list of runs. Throws UsageError. */
function queryOf(values: Values): string {
  const query = new URLSearchParams({ limit: limitOf(values) });
  for (const [name, value] of filtersOf(values)) query.append(name, value);
  return String(query);
}

/** The status of a run in its colour. */
function statusText(terminal: Terminal, reply: unknown): string {
  const status = statusOf(at(reply, 'instance'));
  const colour = ownMember({ complete: 'green', pending: 'cyan' } as const, status) ?? 'red';
  return paint(terminal, colour, status);
}

/** The rows of a list. A page of a search may have fewer rows than the limit before the end of the list. */
async function readRows(service: Service, path: string, limit: number): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (let after = ''; ; ) {
    const reply = await service.call('GET', `${path}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`);
    rows.push(...(rowsAt(reply, 'instances') ?? []));
    const info = at(reply, 'instances', 'pageInfo');
    const next = textAt(info, 'endCursor');
    const isLast = at(info, 'hasNextPage') !== true || next === '' || next === after;
    if (isLast || (limit > 0 && rows.length >= limit)) return limit > 0 ? rows.slice(0, limit) : rows;
    after = next;
  }
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const query = queryOf(values);
  const { service, base } = await openNamespace(values, terminal);
  const rows = await readRows(service, `${base}/instances?${query}`, Number(limitOf(values)));
  const cells = rows.map((row) => [
    textAt(row, 'id'),
    statusOf(row),
    inMilliseconds(textAt(row, 'createdAt')),
    durationText(row),
    ...['as', 'invoker', 'errorCode'].map((name) => textAt(row, name)),
  ]);
  return result(values, rows, () => toTable([HEAD, ...cells]));
}

const pathOf = (base: string, id: string): string => `${base}/instances/${encodeURIComponent(id)}`;

async function get(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', pathOf(base, id));
  const fields = ['id', 'status', 'as', 'invoker', 'createdAt', 'updatedAt', 'errorCode', 'errorMessage']
    .map((name) => [name, textAt(reply, 'instance', name)] as const)
    .map(([name, text]) => [name, name === 'status' ? statusText(terminal, reply) : inMilliseconds(text)]);
  const flow = ['flow', textsAt(reply, 'flow').join(' > ')];
  const state = ['failed in', textAt(reply, 'error', 'state')];
  const rows = [...fields, flow, state].filter(([, text]) => text !== '');
  return result(values, reply, () => [toTable(rows), ...failureLines(at(reply, 'error'))].join('\n'));
}

const storedData =
  (kind: 'input' | 'output') =>
  async (values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> => {
    const { service, base } = await openNamespace(values, terminal);
    const reply = await service.call('GET', `${pathOf(base, id)}/${kind}`);
    return data(bytesAt(reply, 'data').toString('utf8'));
  };

async function show(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', `${pathOf(base, id)}/timeline`);
  const { state } = values;
  if (state === undefined) return result(values, reply, () => timelineText(reply, terminal, Date.now()));
  const steps = at(reply, 'steps');
  const visits = Array.isArray(steps) ? steps.filter((step) => textAt(step, 'state') === state) : [];
  const last = visits.at(-1);
  if (last === undefined) throw new CommandFailedError(`the record of the run has no visit of the state '${state}'`);
  const step = await service.call('GET', `${pathOf(base, id)}/steps/${textAt(last, 'n')}`);
  return result(values, step, () => stepText(step));
}

async function source(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', `${pathOf(base, id)}?op=source`);
  const text = bytesAt(reply, 'revision', 'source').toString('utf8');
  return data(values.json ? toJson(reply) : text.replace(/\n$/, ''));
}

async function bundle(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', `${pathOf(base, id)}/bundle`);
  const { output = `${id}.bundle.json` } = values;
  if (output === '-') return success(toJson(reply));
  await writeFile(resolve(terminal.cwd, output), `${toJson(reply)}\n`);
  const notes = textsAt(reply, 'notes').map((note) => `note: ${note}`);
  return result(values, { file: output, notes }, () => [`wrote ${output}`, ...notes].join('\n'));
}

async function waiting(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', `${pathOf(base, id)}/waiting`);
  return result(values, reply, () => waitingText(reply));
}

/** The body of a rerun. Throws UsageError for a patch that is not a JSON list. */
function patchOf({ patch }: Values): { readonly patch?: readonly unknown[] } {
  if (patch === undefined) return {};
  try {
    const operations: unknown = parseJson(patch);
    if (Array.isArray(operations)) return { patch: operations };
  } catch {
    // Not JSON: the same mistake as JSON that is no list.
  }
  throw new UsageError(`--patch must be a JSON list of operations: '[{"op": "add", "path": "/name", "value": 1}]'`);
}

const repeatOf = (values: Values): 'all' | 'failed' => (values['repeat-all'] === true ? 'all' : 'failed');

/** Repeats the runs that the options select. Throws UsageError without a status. */
async function rerunSelected(values: Values, query: URLSearchParams, terminal: Terminal): Promise<Outcome> {
  if (values.status === undefined) {
    throw new UsageError('give the id of a run, or select runs with --status, as in --status failed');
  }
  if (values.patch !== undefined) throw new UsageError('--patch is for one run; give its id');
  const { service, base } = await openNamespace(values, terminal);
  for (const [name, value] of filtersOf(values)) query.append(name, value);
  const { rate } = values;
  const choices = { repeat: repeatOf(values), isDryRun: values['dry-run'] === true, isConfirmed: values.yes === true };
  return rerunMany(service, { base, query, rate, ...choices, isJson: values.json === true }, terminal);
}

async function rerun(values: Values, [id]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const query = new URLSearchParams({ op: 'rerun', revision: values.latest === true ? 'latest' : 'pinned' });
  if (values.from !== undefined) query.set('from', values.from);
  if (id === undefined) return rerunSelected(values, query, terminal);
  const isDryRun = values['dry-run'] === true;
  const body = { ...patchOf(values), repeat: repeatOf(values), dryRun: isDryRun };
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('POST', `${pathOf(base, id)}?${query}`, body);
  const warnings = warningLines([reply]);
  if (isDryRun) return result(values, reply, () => [...warnings, 'nothing was started'].join('\n'));
  if (values.json !== true) for (const line of warnings) terminal.printStatus(line);
  return result(values, reply, () => textAt(reply, 'instance'));
}

export const instances = defineVerbs({
  about: 'Lists runs; shows one with its states, its data and what it waits for; repeats one',
  usage: [
    'instances [list] [--workflow PATH] [--status STATUS] [--label NAME=VALUE] [--code TEXT] [--message TEXT] [--limit N]',
    'instances get INSTANCE',
    'instances input INSTANCE',
    'instances output INSTANCE',
    'instances show INSTANCE [--state STATE]',
    'instances waiting INSTANCE',
    'instances source INSTANCE',
    'instances bundle INSTANCE [--output FILE|-]',
    'instances rerun INSTANCE [--from STATE] [--latest] [--patch JSON] [--repeat-all] [--dry-run]',
    'instances rerun --status STATUS [--workflow PATH] [--since TIME] [--dry-run] [--rate N] [--yes]',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    get: { takes: ['INSTANCE'], run: get },
    input: { takes: ['INSTANCE'], run: storedData('input') },
    output: { takes: ['INSTANCE'], run: storedData('output') },
    show: { takes: ['INSTANCE'], run: show },
    waiting: { takes: ['INSTANCE'], run: waiting },
    source: { takes: ['INSTANCE'], run: source },
    bundle: { takes: ['INSTANCE'], run: bundle },
    rerun: { takes: ['[INSTANCE]'], run: rerun },
  },
});
