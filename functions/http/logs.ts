import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import { timeAt } from '../../lib/api/http/request.ts';
import type { StreamSources } from '../../lib/api/streams/sources.ts';
import type { AuditRequest } from '../../lib/domain/audit/pages.ts';
import * as audit from '../../lib/domain/audit/pages.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import { readAfter } from '../../lib/domain/logs/cursor-reader.ts';
import * as logs from '../../lib/domain/logs/instance-logs.ts';
import { list, type Needs, openLog } from '../../lib/domain/logs/pages.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { withNames } from '../../lib/domain/storage/lists.ts';
import { ownMember } from '../../lib/language/own-members.ts';

// The query is checked before anything is read, as in other lists.
const ofServer = (ports: Needs, { query }: Call<'getServerLogs'>) => ({
  request: toListRequest(query),
  log: openLog(ports, { scope: 'server' }),
});

async function ofNamespace(ports: Needs, { path, query }: Call<'getNamespaceLogs'>) {
  const request = toListRequest(query);
  const namespace = await namespaces.need(ports, path.namespace);
  const log = openLog(ports, { scope: 'namespace', namespace }, namespace.created);
  return { request, log, named: { namespace: namespace.name } };
}

async function ofInstance(ports: Needs, { path, query }: Call<'getInstanceLogs'>) {
  const request = toListRequest(query);
  const run = await instances.need(ports, path.namespace, path.instance);
  return { request, run, named: { namespace: path.namespace, instance: run.id } };
}

const DEFAULT_AUDIT_LIMIT = 100;
const MAX_AUDIT_LIMIT = 1000;

function toAuditRequest({ query }: Call<'listAudit'>): AuditRequest {
  const { limit } = toListRequest({ limit: query['limit'] ?? [] }, 'malformed');
  const textAt = (name: string): string | undefined => ownMember(query, name)?.[0] || undefined;
  return {
    namespace: textAt('namespace'),
    actor: textAt('actor'),
    from: timeAt(query, 'start'),
    to: timeAt(query, 'end'),
    limit: limit > 0 ? Math.min(limit, MAX_AUDIT_LIMIT) : DEFAULT_AUDIT_LIMIT,
    cursor: textAt('cursor'),
  };
}

export const endpoints: Endpoints<'logs'> = {
  listAudit: (ports, call) => audit.list(ports, toAuditRequest(call)),
  getServerLogs: (ports, call) => {
    const { request, log } = ofServer(ports, call);
    return list(ports, log, request);
  },
  getNamespaceLogs: async (ports, call) => {
    const { request, log, named } = await ofNamespace(ports, call);
    return withNames(await list(ports, log, request), named);
  },
  getInstanceLogs: async (ports, call) => {
    const { request, run, named } = await ofInstance(ports, call);
    return withNames(await logs.list(ports, run, request), named);
  },
};

export const streamSources: StreamSources<'logs'> = {
  getServerLogs: async (ports, call, cursor) => {
    const { request, log } = ofServer(ports, call);
    const reading = await readAfter(ports, log, request, cursor);
    return { reply: reading.list, cursor: reading.cursor };
  },
  getNamespaceLogs: async (ports, call, cursor) => {
    const { request, log, named } = await ofNamespace(ports, call);
    const reading = await readAfter(ports, log, request, cursor);
    return { reply: withNames(reading.list, named), cursor: reading.cursor };
  },
  getInstanceLogs: async (ports, call, cursor) => {
    const { request, run, named } = await ofInstance(ports, call);
    const reading = await logs.readAfter(ports, run, request, cursor);
    return { reply: withNames(reading.list, named), cursor: reading.cursor };
  },
};
