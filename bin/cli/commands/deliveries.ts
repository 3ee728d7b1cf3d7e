import { textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import { defineCommand, type Outcome, runVerb, shown, toTable, type ValuesOf, type Verbs } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...PLACE_OPTIONS, ...NAMESPACE_OPTION } as const;

type Values = ValuesOf<typeof OPTIONS>;

const COLUMNS = ['id', 'kind', 'failedAt', 'tries', 'error'];

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/failed-deliveries`)) ?? [];
  const cells = rows.map((row) => COLUMNS.map((name) => textAt(row, name)));
  return shown(values, rows, () => toTable([['ID', 'WHAT', 'FAILED', 'TRIES', 'WHY'], ...cells]));
}

async function redeliver(values: Values, [id]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const one = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  const done = await service.call('POST', `${base}/failed-deliveries${one}/redeliver`);
  if (id !== undefined) return shown(values, { redelivered: id }, () => `delivered ${id} again`);
  const [redelivered, failed, left] = ['redelivered', 'failed', 'left'].map((name) => textAt(done, name));
  return shown(values, done, () => `${redelivered} delivered again, ${failed} failed again, ${left} left`);
}

async function remove(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('DELETE', `${base}/failed-deliveries/${encodeURIComponent(id)}`);
  return shown(values, { deleted: id }, () => `deleted ${id}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  redeliver: { takes: ['[ID]'], run: redeliver },
  delete: { takes: ['ID'], run: remove },
};

export const deliveries = defineCommand({
  about: 'Lists events and ticks of the clock that could not be delivered, and delivers them again',
  usage: ['deliveries list', 'deliveries redeliver [ID]', 'deliveries delete ID'],
  notes: ['Without an ID all are delivered again, 1,000 at most.', NAMESPACE_NOTE, ...PLACE_NOTES],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
