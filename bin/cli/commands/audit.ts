import type { AuditEntry } from '../../../lib/domain/audit/entries.ts';
import type { AuditPage } from '../../../lib/domain/audit/pages.ts';
import { openService } from '../client/service.ts';
import { TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, result, toTable, UsageError } from '../shell/command.ts';
import { limitOf, limitOption } from '../shell/limit.ts';

const OPTIONS = {
  namespace: { type: 'string', short: 'n', value: 'NAME', help: 'only changes in this namespace (default: all)' },
  actor: { type: 'string', value: 'NAME', help: 'only changes by the key with this name or id' },
  start: { type: 'string', value: 'TIME', help: 'only changes from this time on, as 2026-01-15T09:30:00Z' },
  end: { type: 'string', value: 'TIME', help: 'only changes until this time' },
  limit: limitOption('changes'),
  ...TARGET_OPTIONS,
} as const;

const FILTERS = ['namespace', 'actor', 'start', 'end'] as const;

const HEAD = ['TIME', 'ACTOR', 'ACTION', 'NAMESPACE', 'TARGET', 'OUTCOME', 'ADDRESS'];

const targetOf = ({ target }: AuditEntry): string =>
  Object.entries(target)
    .filter(([name]) => name !== 'namespace')
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const rowOf = (entry: AuditEntry): string[] => {
  const { time, actor, action, namespace, outcome, status, address } = entry;
  return [time, actor, action, namespace, targetOf(entry), `${outcome} (${status})`, address];
};

export const audit = defineCommand({
  about: 'Lists the requests that could change something, the newest first',
  usage: ['audit [--namespace NAME] [--actor NAME] [--start TIME] [--end TIME] [--limit N]'],
  notes: ['It needs a key with the permission admin for all namespaces.'],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    if (args.length > 0) throw new UsageError(`audit takes no arguments, but got '${args.join(' ')}'`);
    const service = await openService(values, terminal);
    const query = new URLSearchParams();
    for (const name of FILTERS) if (values[name] !== undefined) query.set(name, values[name]);
    const wanted = Number(limitOf(values));
    const entries: AuditEntry[] = [];
    for (let next: string | undefined = ''; next !== undefined && entries.length < wanted; ) {
      query.set('limit', String(wanted - entries.length));
      if (next !== '') query.set('cursor', next);
      const page = (await service.call('GET', `/api/audit?${query}`)) as AuditPage;
      entries.push(...page.entries);
      next = page.next;
    }
    return result(values, entries, () => toTable([HEAD, ...entries.map(rowOf)]));
  },
});
