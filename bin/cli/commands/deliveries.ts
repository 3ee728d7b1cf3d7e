import { textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...NAMESPACE_OPTION, ...TARGET_OPTIONS } as const;

type Values = ValuesOf<typeof OPTIONS>;

const FIELDS = ['id', 'kind', 'failedAt', 'tries', 'error'];

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/failed-deliveries`)) ?? [];
  const cells = rows.map((row) => FIELDS.map((name) => textAt(row, name)));
  return result(values, rows, () => toTable([['ID', 'KIND', 'FAILED', 'TRIES', 'ERROR'], ...cells]));
}

async function redeliver(values: Values, [id]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const one = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  const reply = await service.call('POST', `${base}/failed-deliveries${one}/redeliver`);
  if (id !== undefined) return result(values, { redelivered: id }, () => `delivered ${id}`);
  const [redelivered, failed, left] = ['redelivered', 'failed', 'left'].map((name) => textAt(reply, name));
  return result(values, reply, () => `${redelivered} delivered, ${failed} failed again, ${left} left`);
}

async function remove(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('DELETE', `${base}/failed-deliveries/${encodeURIComponent(id)}`);
  return result(values, { deleted: id }, () => `deleted ${id}`);
}

export const deliveries = defineVerbs({
  about: 'Lists dead letters (events and schedule ticks whose delivery failed), and delivers them again',
  usage: ['deliveries [list]', 'deliveries redeliver [ID]', 'deliveries delete ID'],
  notes: ['Without an ID, all dead letters are delivered again, at most 1,000 in one call.'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    redeliver: { takes: ['[ID]'], run: redeliver },
    delete: { takes: ['ID'], run: remove },
  },
});
