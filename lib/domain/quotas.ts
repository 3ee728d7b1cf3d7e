import type { Settings } from '../ports/settings.ts';
import { ServiceError } from './errors.ts';

/** How much of one kind of thing may be stored. */
interface Quota {
  /** Whose things are counted together. */
  readonly of: 'namespace' | 'installation';
  /** What is counted, as error messages name it. */
  readonly things: string;
  readonly byDefault: number;
  /** What makes room, if not the deletion of some. */
  readonly remedy?: string;
}

const GIB = 1024 ** 3;

/** The quotas, by the names that settings have for them (docs/limits.md#quotas). */
export const QUOTAS = {
  /** Of all scopes, each variable as whole KiB. Those of runs count for up to 40 days after the beginning of their run. */
  variableBytes: { of: 'namespace', things: 'bytes of variables', byDefault: 10 * GIB },
  /** Of the namespace and of its workflows. */
  variables: { of: 'namespace', things: 'variables', byDefault: 10_000 },
  workflows: { of: 'namespace', things: 'workflows', byDefault: 10_000 },
  /** Workflows that the clock starts. */
  schedules: { of: 'namespace', things: 'schedules', byDefault: 1_000 },
  /** Of the busiest hour of each: 16 a second, or 1,000 schedules that tick each minute. */
  ticks: {
    of: 'namespace',
    things: 'ticks of schedules an hour',
    byDefault: 60_000,
    remedy: 'let schedules tick less often',
  },
  /** Event filters by which workflows start. */
  listeners: { of: 'namespace', things: 'events that start workflows', byDefault: 10_000 },
  /** With folders, and with those that a workflow names and that have no value yet. */
  secrets: { of: 'namespace', things: 'secrets', byDefault: 1_000 },
  registries: { of: 'namespace', things: 'registries', byDefault: 100 },
  /** Those that users create; the services of workflows belong to their revisions. */
  services: { of: 'namespace', things: 'services', byDefault: 1_000 },
  /** Those that began within the retention. */
  runs: {
    of: 'namespace',
    things: 'kept runs',
    byDefault: 1_000_000_000,
    remedy: 'wait until old ones expire, 30 days after their end',
  },
  /** Those that requests send; the events of ten seconds may come at once. */
  eventsPerSecond: { of: 'namespace', things: 'events a second', byDefault: 10_000, remedy: 'send fewer' },
  namespaces: { of: 'installation', things: 'namespaces', byDefault: 10_000 },
  keys: { of: 'installation', things: 'API keys', byDefault: 1_000 },
} as const satisfies Record<string, Quota>;

/** The name of a quota. */
export type QuotaName = keyof typeof QUOTAS;

/** The name of a quota that a namespace has, and may set. */
export type NamespaceQuota = {
  readonly [Name in QuotaName]: (typeof QUOTAS)[Name]['of'] extends 'namespace' ? Name : never;
}[QuotaName];

/** The names of the quotas of a namespace. */
export const NAMESPACE_QUOTAS = (Object.keys(QUOTAS) as QuotaName[]).filter(
  (name): name is NamespaceQuota => QUOTAS[name].of === 'namespace',
);

type Quotas = Pick<Settings, 'quotas'> | undefined;

/** How many there may be: as the namespace sets it, else the installation, else by default. */
export const mostOf = (
  settings: Quotas,
  name: QuotaName,
  limits: Readonly<Partial<Record<QuotaName, number>>> = {},
): number => limits[name] ?? settings?.quotas?.[name] ?? QUOTAS[name].byDefault;

/** Why there is no room for another thing, and what to do. */
export function noRoom(name: QuotaName, most: number): string {
  const { of, things, remedy = 'delete some' }: Quota = QUOTAS[name];
  return `the ${of} has its quota of ${most} ${things}: ${remedy}, or ask an administrator to raise '${name}'`;
}

/** Throws `over-quota` (507) if with `more` there are more than there may be. */
export function needRoom(most: number, name: QuotaName, used: number, more = 1): void {
  if (used + more > most) throw new ServiceError('over-quota', noRoom(name, most));
}

const MAX_QUOTA = Number.MAX_SAFE_INTEGER;

/**
 * Reads quotas as the setting of an installation has them: `workflows=500 variableBytes=1000000`, separated by spaces or
 * commas. Throws Error with a message for the operator.
 */
export function quotasIn(text: string): Partial<Record<QuotaName, number>> {
  const entries = text.split(/[\s,]+/).filter((part) => part !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [name = '', value = ''] = entry.split('=');
      if (!Object.hasOwn(QUOTAS, name)) {
        throw new Error(`there is no quota '${name}'; the quotas are ${Object.keys(QUOTAS).join(', ')}`);
      }
      const most = value === '' ? Number.NaN : Number(value);
      if (Number.isInteger(most) && most >= 0 && most <= MAX_QUOTA) return [name, most];
      throw new Error(`the quota '${name}' is '${value}'; it must be a whole number, as in ${name}=1000`);
    }),
  );
}
