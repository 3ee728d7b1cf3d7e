import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as failed from '../../lib/domain/events/dead-letters.ts';
import * as events from '../../lib/domain/events/events.ts';
import * as filters from '../../lib/domain/events/filters.ts';
import * as history from '../../lib/domain/events/history.ts';
import * as listeners from '../../lib/domain/events/listener-list.ts';
import { explain } from '../../lib/domain/events/near-misses.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { broadcast, openFilter, replay } from '../../lib/engine/events/broadcasting.ts';
import { needCompiling } from '../../lib/engine/events/filtering.ts';
import { redeliver, redeliverAll } from '../../lib/engine/routing/redelivery.ts';
import { leased } from '../../lib/ports/table.ts';
import { hooks } from './events/webhooks.ts';

async function keepFilter(
  ports: Parameters<typeof filters.create>[0],
  { path, body }: Pick<Call<'createEventFilter'>, 'path' | 'body'>,
  keep: typeof filters.create,
): Promise<void> {
  const namespace = await namespaces.need(ports, path.namespace);
  const script = filters.needScript(path.filter, body);
  await needCompiling({ namespaceId: namespace.id, name: path.filter, script });
  await keep(ports, namespace, path.filter, script);
}

export const endpoints: Endpoints<'events'> = {
  ...hooks,
  broadcastEvent: async (ports, { path, headers, body }) =>
    broadcast(ports, await namespaces.need({ table: leased(ports.table) }, path.namespace), { headers, body }),
  broadcastEventThroughFilter: async (ports, { path, headers, body }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    await broadcast(ports, namespace, { headers, body }, await openFilter(ports, namespace, path.filter));
  },
  listFailedDeliveries: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, ...(await failed.list(ports, namespace, request)) };
  },
  redeliverAll: async (ports, { path }) => redeliverAll(ports, await namespaces.need(ports, path.namespace)),
  redeliverOne: async (ports, { path }) =>
    redeliver(ports, await namespaces.need(ports, path.namespace), path.delivery),
  deleteFailedDelivery: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    await failed.remove(ports, namespace, await failed.need(ports, namespace, path.delivery));
  },
  listEventFilters: async (ports, { path }) => {
    const names = await filters.names(ports, await namespaces.need(ports, path.namespace));
    return { eventFilter: names.map((name) => ({ name })) };
  },
  getEventFilter: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    return { filtername: path.filter, jsCode: await filters.need(ports, namespace, path.filter) };
  },
  createEventFilter: (ports, call) => keepFilter(ports, call, filters.create),
  updateEventFilter: (ports, call) => keepFilter(ports, call, filters.update),
  deleteEventFilter: async (ports, { path }) =>
    filters.remove(ports, await namespaces.need(ports, path.namespace), path.filter),
  listEvents: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const namespace = await namespaces.need(ports, path.namespace);
    return { events: await history.list(ports, namespace, request), namespace: namespace.name };
  },
  replayEvent: async (ports, { path }) => replay(ports, await namespaces.need(ports, path.namespace), path.event),
  explainEvent: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    const recorded = await events.need(ports, namespace.id, path.event);
    return { namespace: namespace.name, ...(await explain(ports, namespace.id, recorded)) };
  },
  listEventListeners: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, ...(await listeners.list(ports, namespace, request)) };
  },
};
