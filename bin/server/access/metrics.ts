import type { StreamingHandler } from '../../../lib/adapters/local/gateway.ts';
import type { PrometheusMeter, Readings } from '../../../lib/adapters/local/prometheus.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { type AccessPorts, authenticate, requirePermission } from '../../../lib/api/http/access.ts';
import { RawReply, type Reply, toErrorReply, UNROUTED } from '../../../lib/api/http/reply.ts';
import { type RequestEvent, type RequestHead, toRequestHead } from '../../../lib/api/http/request.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';

/** The path at which Prometheus reads the metrics of the process. */
export const METRICS_PATH = '/metrics';

/** What the reply with the metrics needs. */
export interface MetricsSource {
  readonly meter: PrometheusMeter;
  readonly readings: Readings;
}

async function replyTo(ports: AccessPorts, { meter, readings }: MetricsSource, head: RequestHead): Promise<Reply> {
  if (head.method !== 'GET' && head.method !== 'HEAD') return UNROUTED[405];
  try {
    // The metrics name workflows of all namespaces.
    requirePermission(await authenticate(ports, head, undefined), { permission: 'admin' }, undefined);
  } catch (error) {
    if (error instanceof ServiceError) return toErrorReply(error);
    throw error;
  }
  const { body, type } = await meter.text(readings);
  return new RawReply(body, { 'Content-Type': type, 'Cache-Control': 'no-store' });
}

/** The metrics as the gateway calls them, for a key with the permission admin. */
export function metricsHandler(ports: AccessPorts, source: MetricsSource): StreamingHandler {
  return async (event, response) => {
    const received = event as RequestEvent;
    await received.enter?.('');
    const { status, headers, body } = await replyTo(ports, source, toRequestHead(received));
    (response as ReplyStream).begin({ statusCode: status, headers }).end(body);
  };
}
