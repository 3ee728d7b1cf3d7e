import { isDeepStrictEqual } from 'node:util';
import { BROADCAST_KINDS, type BroadcastKind, OWN_BROADCAST_KINDS } from '../../events/broadcasts.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import { ServiceError } from '../errors.ts';
import type { RecordMode } from '../record-modes.ts';
import { changeLimits, type NamespaceLimits } from '../run-limits.ts';
import { throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { MAX_PARTITIONS, partitionsIn, raise, type Spread, spreadItem } from '../storage/spread.ts';
import { type AlertChanges, type AlertSettings, needAlertSettings } from './alert-settings.ts';
import { needEgressRules } from './egress-rules.ts';
import * as lookback from './lookback.ts';
import { type MailChanges, type MailSettings, needMailSettings } from './mail-settings.ts';
import { type Namespace, type NamespaceSettings, need } from './namespaces.ts';

/** The settings of a namespace (specification, Namespace config body). */
export interface Config {
  /** Those that the original does not know are absent where they are switched off. */
  readonly broadcast: Readonly<Partial<Record<BroadcastKind, boolean>>>;
  /** `lookback`: an ISO 8601 duration. Absent without a look-back: the original has no such setting. */
  readonly events?: { readonly lookback: string };
  /** The mode of the records of runs; absent: `full`. */
  readonly record?: RecordMode;
  /** The limits that differ from the default values. */
  readonly limits?: Partial<NamespaceLimits>;
  /** The private hosts and address ranges that its workflows may reach; absent without any. */
  readonly egress?: readonly string[];
  /** `native: false`: containers run also for the images that Weft serves itself; else absent. */
  readonly functions?: { readonly native: false };
  /** Where alerts about its runs go; absent: there are none. */
  readonly alerts?: AlertSettings;
  /** The server of mail functions that name none. */
  readonly mail?: MailSettings;
  /** Over how many partitions its rows are spread, now or soon (decision 7); absent: one. */
  readonly partitions?: number;
}

/** The wire form of the settings. */
export function toConfig(namespace: Namespace): Config {
  const on = new Set(namespace.broadcasts);
  const shown = BROADCAST_KINDS.filter((key) => on.has(key) || !OWN_BROADCAST_KINDS.has(key));
  const broadcast: Config['broadcast'] = Object.fromEntries(shown.map((key) => [key, on.has(key)]));
  const text = lookback.toText(namespace.lookback);
  return omitUndefined({
    broadcast,
    events: text === '' ? undefined : { lookback: text },
    record: namespace.record === 'full' ? undefined : namespace.record,
    limits: namespace.limits,
    egress: namespace.egress.length === 0 ? undefined : namespace.egress,
    functions: namespace.avoidsNative ? ({ native: false } as const) : undefined,
    alerts: namespace.alerts,
    mail: namespace.mail,
    partitions: namespace.spread === undefined ? undefined : partitionsIn(namespace.spread),
  });
}

/** Settings to change; null and absent ones stay as they are. */
export interface ConfigChanges {
  readonly broadcast?: Readonly<Partial<Record<BroadcastKind, boolean | null | undefined>>> | undefined;
  /** `lookback` is an ISO 8601 duration; empty: no look-back. */
  readonly events?: { readonly lookback?: string | null | undefined } | undefined;
  readonly record?: RecordMode | undefined;
  /** A number sets a limit, 0 returns to its default value. */
  readonly limits?: Readonly<Partial<Record<keyof NamespaceLimits, number | null | undefined>>> | undefined;
  /** All egress rules: they replace those before. */
  readonly egress?: readonly string[] | null | undefined;
  readonly functions?: { readonly native?: boolean | null | undefined } | undefined;
  /** They replace those before; an empty object switches alerts off. */
  readonly alerts?: AlertChanges | null | undefined;
  /** It replaces the one before; an empty object removes it. */
  readonly mail?: MailChanges | null | undefined;
  /** The least number of partitions of its rows, to be set ahead of a load. */
  readonly partitions?: number | null | undefined;
}

function changed(
  namespace: Namespace,
  { broadcast = {}, events = {}, record, limits = {}, egress, functions = {}, alerts, mail }: ConfigChanges,
): NamespaceSettings {
  const merged = toConfig(namespace).broadcast;
  return {
    broadcasts: BROADCAST_KINDS.filter((key) => broadcast[key] ?? merged[key]),
    lookback: typeof events.lookback === 'string' ? lookback.fromText(events.lookback) : namespace.lookback,
    record: record ?? namespace.record,
    limits: changeLimits(namespace.limits, limits),
    egress: needEgressRules(egress ?? namespace.egress),
    avoidsNative: typeof functions.native === 'boolean' ? !functions.native : namespace.avoidsNative,
    alerts: alerts === undefined || alerts === null ? namespace.alerts : needAlertSettings(alerts),
    mail: mail === undefined || mail === null ? namespace.mail : needMailSettings(mail),
  };
}

/** A setting that only an administrator of the installation changes: it protects the installation from the namespace. */
type AdministrativeSetting = 'egress' | 'partitions' | 'limits';

const CHANGES: { readonly [Name in AdministrativeSetting]: (namespace: Namespace, changes: ConfigChanges) => boolean } =
  {
    egress: (_, { egress }) => egress !== undefined && egress !== null,
    // Each further partition makes lists dearer.
    partitions: (_, { partitions }) => partitions !== undefined && partitions !== null,
    // The console sends all settings back, also those that it did not change.
    limits: ({ limits }, changes) => !isDeepStrictEqual(changeLimits(limits, changes.limits ?? {}), limits),
  };

/** The steps of a namespace after a change. Throws `invalid` for fewer partitions than it has, and for too many. */
function spreadOver({ spread }: Namespace, { partitions }: ConfigChanges, now: number): Spread | undefined {
  const has = partitionsIn(spread);
  if (partitions === undefined || partitions === null || partitions === has) return spread;
  if (partitions > has && partitions <= MAX_PARTITIONS) return raise(spread, partitions, now);
  throw new ServiceError(
    'invalid',
    `the setting 'partitions' is ${has}, and can be ${has} to ${MAX_PARTITIONS}: it never gets less`,
  );
}

/**
 * Changes the given settings and returns all. `needAdministrator` is called for each that only an administrator changes, and
 * throws if the caller is none. Throws `not-found`, and `invalid` for a value that cannot be set.
 */
export async function configure(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  name: string,
  changes: ConfigChanges,
  needAdministrator: (setting: AdministrativeSetting) => void = () => undefined,
): Promise<Config> {
  const namespace = await need({ table }, name);
  for (const [setting, isChanged] of Object.entries(CHANGES)) {
    if (isChanged(namespace, changes)) needAdministrator(setting as AdministrativeSetting);
  }
  const now = clock.now();
  const spread = spreadOver(namespace, changes, now);
  const settings = changed(namespace, changes);
  const updated = Math.max(now, namespace.updated + 1);
  const set = { settings: JSON.stringify(settings), ...spreadItem(spread), updated };
  const when = { equals: { id: namespace.id, updated: namespace.updated } };
  await throwOnConflict(
    table.write([{ do: 'update', key: keys.namespace(name), set, when }]),
    () => new ServiceError('unavailable', `the settings of '${name}' were changed at this moment; try again`),
  );
  return toConfig({ ...namespace, ...settings, spread });
}
