import { everything, mayStream } from '../lib/adapters/aws/deployed.ts';
import type { Endpoints } from '../lib/api/call.ts';
import { lambda } from '../lib/api/lambda.ts';
import * as history from '../lib/domain/event-history.ts';
import { toExplanation } from '../lib/domain/event-traces.ts';
import * as events from '../lib/domain/events.ts';
import * as listeners from '../lib/domain/listeners.ts';
import * as namespaces from '../lib/domain/namespaces.ts';
import { toListRequest } from '../lib/domain/pages.ts';
import { broadcast, replay } from '../lib/engine/broadcasting.ts';

export const endpoints: Endpoints<'events'> = {
  broadcastEvent: async (ports, { path, headers, body }) =>
    broadcast(ports, await namespaces.need(ports, path.namespace), headers, body),
  listEvents: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const namespace = await namespaces.need(ports, path.namespace);
    return { events: await history.list(ports, namespace, request), namespace: namespace.name };
  },
  replayEvent: async (ports, { path }) => replay(ports, await namespaces.need(ports, path.namespace), path.event),
  explainEvent: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, ...toExplanation(await events.need(ports, namespace.id, path.event)) };
  },
  listEventListeners: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, ...(await listeners.list(ports, namespace, request)) };
  },
};

export const handler = lambda<'events'>(endpoints, everything, mayStream);
