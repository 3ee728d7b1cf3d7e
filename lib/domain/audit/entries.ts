import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { AuditSettings, Settings } from '../../ports/settings.ts';
import type { Item } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { DAY_MS } from '../../time/units.ts';
import { putAt } from '../storage/batches.ts';
import { fractionOf } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';

/** How a request ended: it was done, the service refused it, or the service failed. */
export type AuditOutcome = 'done' | 'refused' | 'failed';

/** A request that changes something, without its body. */
export interface AuditedRequest {
  /** The name of the caller's key; `admin` for the administrative one, empty without a key. */
  readonly actor: string;
  /** The id of the key; `admin` for the administrative one. */
  readonly key: string;
  /** The id of the route: `createKey`. */
  readonly action: string;
  /** Empty for an action that concerns no namespace. */
  readonly namespace: string;
  /** The target of the action: values by the names of parameters. */
  readonly target: Readonly<Record<string, string>>;
  readonly outcome: AuditOutcome;
  /** The HTTP status of the reply. */
  readonly status: number;
  /** The IP address that sent the request. */
  readonly address: string;
  /** The header `X-Forwarded-For`: the report of a proxy, or the claim of a client. */
  readonly forwardedFor: string;
  /** The header `User-Agent`. */
  readonly client: string;
}

/** An entry of the audit log as clients get it. */
export interface AuditEntry extends AuditedRequest {
  readonly id: string;
  readonly time: string;
}

/** How long entries are kept by default, days. */
const RETENTION_DAYS = 365;

/** How long entries are kept, milliseconds. */
export const retentionOf = ({ audit }: Pick<Settings, 'audit'>): number =>
  (audit?.retentionDays ?? RETENTION_DAYS) * DAY_MS;

/** The maximum length of a text that a client sent, characters. */
const MAX_LENGTH = 300;

const cut = (text: string): string => text.slice(0, MAX_LENGTH).toWellFormed();

const cutAll = (target: AuditedRequest['target']): Record<string, string> =>
  Object.fromEntries(Object.entries(target).map(([name, text]) => [name, cut(text)]));

type Needs = Pick<Ports, 'table' | 'clock'> & { readonly settings: { readonly audit?: AuditSettings | undefined } };

/** Writes an entry into the audit log: one write. */
export async function record({ table, clock, settings }: Needs, request: AuditedRequest): Promise<void> {
  const [now, id] = [clock.now(), clock.uuid()];
  const shard = Math.floor(fractionOf(id) * keys.AUDIT_SHARDS);
  const { target, address, forwardedFor, client, actor, ...rest } = request;
  const texts = { actor: cut(actor), address: cut(address), forwardedFor: cut(forwardedFor), client: cut(client) };
  const attributes = {
    ...rest,
    ...texts,
    target: JSON.stringify(cutAll(target)),
    ttl: toTtl(now + retentionOf(settings)),
  };
  await table.write([putAt(keys.auditEntry(now, shard, id), attributes)]);
}

/** The entry that an item contains. */
export function fromItem(item: Item): AuditEntry {
  const textAt = (name: string): string => String(item[name] ?? '');
  const [time = '', id = ''] = item.sk.split('#');
  return {
    id,
    time: toTimestamp(Number(time)),
    actor: textAt('actor'),
    key: textAt('key'),
    action: textAt('action'),
    namespace: textAt('namespace'),
    target: parseJson(textAt('target')) as Record<string, string>,
    outcome: textAt('outcome') as AuditOutcome,
    status: Number(item['status']),
    address: textAt('address'),
    forwardedFor: textAt('forwardedFor'),
    client: textAt('client'),
  };
}
