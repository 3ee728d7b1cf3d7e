import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import { plainError, RawReply, untrusted } from '../../../lib/api/http/reply.ts';
import type { IdsOf } from '../../../lib/api/registry/routes/index.ts';
import { outputOf } from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { readLink } from '../../../lib/engine/approvals/links.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import type { Started } from '../../../lib/engine/requests/start/start.ts';
import { listWebhooks } from '../../../lib/engine/requests/webhooks/listing.ts';
import { receiveWebhook } from '../../../lib/engine/requests/webhooks/receiving.ts';
import { toWebhookReply } from '../../../lib/engine/requests/webhooks/replies.ts';
import { serveLink } from './approvals.ts';
import { decisions } from './decisions.ts';

type Received = Call<'receiveWebhook'> | Call<'receiveWebhookByGet'> | Call<'receiveWebhookByPut'>;

const JSON_TYPE = { 'Content-Type': 'application/json' };

const accepted = (value: object): RawReply => new RawReply(JSON.stringify(value), JSON_TYPE, 202);

/** The same for a webhook that does not exist and for an unverified request: a client cannot distinguish them. */
const unknown = (): RawReply => plainError(404, '404 page not found');

/** The output of a run that ended as a response. The sender does not get the reason of a failure. */
function endReply({ run }: Started): RawReply {
  if (run.status !== 'complete') return new RawReply(JSON.stringify({ instance: run.id }), JSON_TYPE, 500);
  const { status, type, headers, body } = toWebhookReply(outputOf(run) ?? {});
  const { headers: safe } = untrusted(body, type, headers);
  return new RawReply(body, safe, status);
}

const receiver =
  (method: string) =>
  async (ports: RunnerPorts, { path, headers, query, body, address, deadline }: Received): Promise<RawReply> => {
    const link = readLink(path.hook);
    if (link !== undefined) return serveLink(ports, link, { method, headers, body, address });
    const [namespace = '', ...rest] = path.hook.split('/');
    const request = { method, headers, query, body };
    const outcome = await receiveWebhook(ports, { namespace, path: rest.join('/') }, request, deadline);
    if (outcome.kind === 'unknown') return unknown();
    if (outcome.kind === 'challenge') return untrusted(Buffer.from(outcome.text), 'text/plain; charset=utf-8');
    if (outcome.kind === 'sent') return accepted({ event: outcome.event });
    const { run } = outcome.started;
    return outcome.kind === 'ended' ? endReply(outcome.started) : accepted({ namespace, instance: run.id });
  };

export const hooks: EndpointsOf<IdsOf<'hooks'>> = {
  ...decisions,
  listWebhooks: async (ports, { path }) => {
    const namespace = await namespaces.need(ports, path.namespace);
    return { namespace: namespace.name, ...(await listWebhooks(ports, namespace)) };
  },
  receiveWebhook: receiver('POST'),
  receiveWebhookByGet: receiver('GET'),
  receiveWebhookByPut: receiver('PUT'),
};
