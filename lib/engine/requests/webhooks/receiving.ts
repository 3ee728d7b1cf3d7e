import type { WebhookStart } from '../../../compiler/plan/webhooks.ts';
import * as secrets from '../../../domain/credentials/secrets.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isTraceparent } from '../../../domain/runs/spans.ts';
import { sha256 } from '../../../domain/storage/ids.ts';
import * as workflows from '../../../domain/tree/workflows.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import { isObject, setMember } from '../../../language/json.ts';
import { isNumber } from '../../../language/json-numbers.ts';
import { ExternalSecretError } from '../../../ports/external-secrets.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { StateError } from '../../evaluation/failures.ts';
import { onAccountOf } from '../../evaluation/tenants.ts';
import { receive as receiveEvent } from '../../events/broadcasting.ts';
import { needEvents } from '../../limits/event-rate.ts';
import type { RunnerPorts } from '../../ports.ts';
import type { Invocation } from '../start/invocations.ts';
import { execute, executeAndWait, type Started } from '../start/start.ts';
import { noteRefusal, unverifiedReason } from './refusals.ts';
import { toInput, type WebhookInput, type WebhookRequest } from './request.ts';
import { secretsOf, type Verified, verify } from './verification.ts';

/** The outcome of a request to a webhook. */
export type WebhookOutcome =
  /** There is no such webhook, or the request is not from its sender: the two look alike to the sender. */
  | { readonly kind: 'unknown' }
  /** Slack asks whether the URL is the app's: the reply is the text that it sent. */
  | { readonly kind: 'challenge'; readonly text: string }
  | { readonly kind: 'sent'; readonly event: string }
  | { readonly kind: 'started' | 'ended'; readonly started: Started };

/** The place of a webhook: `<namespace>/<path of the workflow>`. */
export interface WebhookPlace {
  readonly namespace: string;
  readonly path: string;
}

/** A webhook and its workflow. */
interface Webhook {
  readonly place: WebhookPlace;
  readonly opened: workflows.Opened;
  readonly start: WebhookStart;
}

async function find(ports: RunnerPorts, place: WebhookPlace): Promise<Webhook | undefined> {
  const opened = await workflows.open(ports, place.namespace, place.path).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
  const start = opened?.revision.plan?.start;
  if (opened === undefined || start?.type !== 'webhook') return undefined;
  return { place, opened, start };
}

function challengeOf({ start }: Webhook, { body }: WebhookInput): string | undefined {
  if (start.verify.kind !== 'slack' || !isObject(body) || body['type'] !== 'url_verification') return undefined;
  return typeof body['challenge'] === 'string' ? body['challenge'] : undefined;
}

/** The attributes of the event of a request. Throws `malformed` for a value that cannot be an attribute. */
async function attributesOf(
  { context }: NonNullable<WebhookStart['event']>,
  data: WebhookInput,
): Promise<Record<string, unknown>> {
  const attributes: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(context)) {
    const value = await evaluate(query, data).catch((error: unknown) => {
      if (!(error instanceof StateError)) throw error;
      throw new ServiceError('malformed', `the attribute '${name}' of the event: ${error.message}`);
    });
    if (typeof value === 'object' && !isNumber(value))
      throw new ServiceError('malformed', `the attribute '${name}' of the event is no text`);
    setMember(attributes, name, value);
  }
  return attributes;
}

/** Sends the request to the namespace as an event; a delivery is sent once. */
async function send(
  ports: RunnerPorts,
  { place, opened }: Webhook,
  sent: NonNullable<WebhookStart['event']>,
  { input, delivery }: { readonly input: WebhookInput; readonly delivery: string | undefined },
): Promise<WebhookOutcome> {
  const { namespace, node } = opened;
  const attributes = await onAccountOf(namespace, () => attributesOf(sent, input));
  const id = delivery === undefined ? ports.clock.uuid() : sha256(JSON.stringify([node.id, delivery]));
  const source = `/webhooks/${place.namespace}${node.path}`;
  const required = { specversion: '1.0', id, source, type: sent.type } as const;
  const event: CloudEvent = { ...attributes, ...required, datacontenttype: 'application/json', data: input };
  await needEvents(ports, namespace, 1);
  await receiveEvent(ports, namespace, event).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'exists') throw error;
  });
  return { kind: 'sent', event: id };
}

/** A delivery that is repeated within 24 hours is the same invocation. */
function invocationOf({ place }: Webhook, input: WebhookInput, { delivery }: Verified): Invocation {
  const key = delivery === undefined ? {} : { key: `webhook:${sha256(delivery)}` };
  const { traceparent = '' } = input.headers;
  const trace = isTraceparent(traceparent) ? { trace: traceparent } : {};
  return { ...place, ref: '', input: Buffer.from(JSON.stringify(input)), invoker: 'webhook', ...key, ...trace };
}

/** The reply is that of an unknown webhook; the log of the namespace has the reason. */
async function refuse(ports: RunnerPorts, { opened }: Webhook, reason: string): Promise<WebhookOutcome> {
  await noteRefusal(ports, opened, reason);
  return { kind: 'unknown' };
}

/**
 * The secrets that verify the requests, or why the service cannot have one that is stored elsewhere. Throws `unavailable` if
 * the sender should try again.
 */
async function secretsFor(
  ports: RunnerPorts,
  { opened, start }: Webhook,
): Promise<ReadonlyMap<string, string> | string> {
  try {
    return await secrets.read(ports, opened.namespace, secretsOf(start.verify));
  } catch (error) {
    if (!(error instanceof ExternalSecretError)) throw error;
    if (error.problem !== 'unavailable') return error.message;
    throw new ServiceError('unavailable', 'the webhook cannot verify requests now; try again');
  }
}

/**
 * Receives a request to a webhook: verifies it, then starts a run or sends an event, once for each delivery. With
 * `reply: wait` it returns when the run has ended, or at `deadline` (milliseconds since 1970). Throws ServiceError for a
 * verified request that cannot be served.
 */
export async function receiveWebhook(
  ports: RunnerPorts,
  place: WebhookPlace,
  request: WebhookRequest,
  deadline: number,
): Promise<WebhookOutcome> {
  const webhook = await find(ports, place);
  if (webhook === undefined) return { kind: 'unknown' };
  const { opened, start } = webhook;
  if (!opened.node.live) return refuse(ports, webhook, 'the workflow is disabled');
  const values = await secretsFor(ports, webhook);
  if (typeof values === 'string') return refuse(ports, webhook, values);
  const verified = verify(request, start.verify, { secrets: values, now: ports.clock.now() });
  if (verified === undefined) return refuse(ports, webhook, unverifiedReason(start.verify, values));
  const input = toInput(request, start.verify);
  const challenge = challengeOf(webhook, input);
  if (challenge !== undefined) return { kind: 'challenge', text: challenge };
  if (start.event !== undefined) return send(ports, webhook, start.event, { input, delivery: verified.delivery });
  const invocation = invocationOf(webhook, input, verified);
  if (start.reply === undefined) return { kind: 'started', started: await execute(ports, invocation) };
  const started = await executeAndWait(ports, invocation, deadline);
  return { kind: started.run.status === 'pending' ? 'started' : 'ended', started };
}
