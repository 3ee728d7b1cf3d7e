import { type AuditedRequest, type AuditOutcome, record } from '../domain/audit/entries.ts';
import { namespaceNameOf } from '../domain/audit/namespace-name.ts';
import { setMember } from '../language/json.ts';
import { ownMember } from '../language/own-members.ts';
import type { Ports } from '../ports/ports.ts';
import type { Routed } from './http/call.ts';
import type { Caller } from './http/caller.ts';
import type { Reply, StreamedReply } from './http/reply.ts';
import type { RequestHead } from './http/request.ts';
import { queries } from './registry/queries.ts';
import type { Route } from './registry/route.ts';
import type { RouteId } from './registry/routes/index.ts';

/** The routes that start runs, send events or serve workers: only `audit=all` includes them in the audit log. */
const FREQUENT: ReadonlySet<RouteId> = new Set<RouteId>([
  'executeWorkflow',
  'waitWorkflow',
  'waitWorkflowWithBody',
  'broadcastEvent',
  'broadcastEventThroughFilter',
  'pollTasks',
  'completeTask',
  'failTask',
  'renewTask',
]);

/** Whether a request to a route can change something. Routes that need at most `read` only read, check or compute. */
export function isChange({ method, permission }: Pick<Route, 'method' | 'permission'>): boolean {
  return method === 'GET' ? permission === 'run' : permission !== 'read';
}

/** The path of a link of an approval, below `/api/hooks/`: the id of its run, and its signature, with which its holder decides. */
const LINK = /^(-\/approvals\/([^/]*)\/[^/]*)\/.*$/s;

const linkOf = ({ params }: Pick<Routed, 'params'>): RegExpExecArray | null => LINK.exec(params['hook'] ?? '');

/** Whether the audit log contains a request. A link of an approval changes a run as a key does; a webhook starts one. */
function isAudited(routed: Routed, { settings }: Pick<Ports, 'settings'>): boolean {
  const { id, route } = routed;
  // It stores nothing and needs no key: any client could fill the table.
  if (id === 'redeemSignIn') return false;
  const isFrequent = FREQUENT.has(id) || (route.family === 'hooks' && linkOf(routed) === null);
  return isChange(route) && (settings.audit?.scope === 'all' || !isFrequent);
}

type Needs = Pick<Ports, 'table' | 'clock' | 'settings'>;

/** The namespace of the object of a request; empty for an action that concerns none. */
async function namespaceOf(ports: Needs, routed: Routed): Promise<string> {
  const { route, params } = routed;
  if (route.family !== 'hooks' || params['hook'] === undefined) return params['namespace'] ?? '';
  const [, , run] = linkOf(routed) ?? [];
  if (run !== undefined) return namespaceNameOf(ports, run);
  return params['hook'].split('/')[0] ?? '';
}

/** Replies to requests that a limit rejected: an entry for each would cost more than the request did. */
const UNRECORDED: ReadonlySet<number> = new Set([429, 503]);

const OUTCOMES: Readonly<Record<number, AuditOutcome>> = { 4: 'refused', 5: 'failed' };

/** The outcome of a reply. Some mistakes of callers have the status 500 for existing clients (lib/domain/errors.ts). */
const outcomeOf = (status: number, isMistake: boolean): AuditOutcome =>
  isMistake ? 'refused' : (OUTCOMES[Math.floor(status / 100)] ?? 'done');

/** The parameters of a path and of a query that identify the object of a request, and the named fields of its body. */
function targetOf({ route, params }: Routed, { query }: RequestHead, input: unknown): Record<string, string> {
  const target: Record<string, string> = { ...params };
  if (route.family === 'hooks') target['hook'] = (params['hook'] ?? '').replace(LINK, '$1');
  for (const name of route.query ?? []) {
    const values = query[name] ?? [];
    const value = 'repeats' in queries[name] ? values.join(', ') : (values[0] ?? '');
    if ('audited' in queries[name] && values.length > 0) target[name] = value;
  }
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of route.audited ?? []) {
    const value = ownMember(fields, name);
    if (value !== undefined) setMember(target, name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return target;
}

/** A request, with the facts that are known when its reply is made. */
export interface Served {
  readonly head: RequestHead;
  readonly routed: Routed;
  /** Absent if the key is missing or unknown: such a request is counted in the metrics, and not recorded. */
  readonly caller?: Caller | undefined;
  /** The JSON body, if it was valid. */
  readonly input?: unknown;
  readonly reply: Pick<Reply | StreamedReply, 'status'>;
  /** The reply reports a mistake of the caller. */
  readonly isMistake: boolean;
}

function toAudited({ head, routed, caller, input, reply, isMistake }: Served, namespace: string): AuditedRequest {
  return {
    actor: caller?.name ?? '',
    key: caller?.id ?? '',
    action: routed.id,
    namespace,
    target: targetOf(routed, head, input),
    outcome: outcomeOf(reply.status, isMistake),
    status: reply.status,
    address: head.address,
    forwardedFor: head.headers['x-forwarded-for'] ?? '',
    client: head.headers['user-agent'] ?? '',
  };
}

/** A webhook needs no key: any client may send requests that it rejects, and their entries would fill the table. */
const isOfStranger = ({ routed, reply }: Served): boolean => routed.route.family === 'hooks' && reply.status === 404;

/**
 * Records a request in the audit log if its route can change something: one write, after the change and before the reply.
 * Throws if it cannot be written.
 */
export async function audit(ports: Needs, served: Served): Promise<void> {
  const { routed, caller, reply } = served;
  if (caller === undefined || UNRECORDED.has(reply.status) || !isAudited(routed, ports)) return;
  if (isOfStranger(served)) return;
  await record(ports, toAudited(served, await namespaceOf(ports, routed)));
}
