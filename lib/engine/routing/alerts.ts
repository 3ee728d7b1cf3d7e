import * as secrets from '../../domain/credentials/secrets.ts';
import { ignoreNotFound, ServiceError } from '../../domain/errors.ts';
import * as deadLetters from '../../domain/events/dead-letters.ts';
import type { Recorded, Trace } from '../../domain/events/events.ts';
import { nameOf } from '../../domain/events/identity.ts';
import * as traces from '../../domain/events/traces.ts';
import { claim, type Decision } from '../../domain/namespaces/alert-groups.ts';
import { type AlertSettings, alertWorkflowOf, windowOf } from '../../domain/namespaces/alert-settings.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { AlertFacts, AlertKind } from '../../events/alerts.ts';
import { broadcastEvent } from '../../events/broadcasts.ts';
import type { Message } from '../../ports/bus.ts';
import { UnreachableError } from '../../ports/callees/web.ts';
import { ExternalSecretError } from '../../ports/external-secrets.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { SECOND_MS } from '../../time/units.ts';
import { receive } from '../events/broadcasting.ts';
import { standardHeaders } from '../http/standard-webhooks.ts';
import { OverRateError } from '../limits/starts.ts';
import type { RunnerPorts } from '../ports.ts';
import { type Alert, alertOf } from './alert-bodies.ts';
import { startByAlert } from './starts.ts';

/** An alert on its way, with the event that was recorded when it was owed. */
export interface AlertDelivery {
  readonly message: Message;
  readonly recorded: Recorded;
  readonly facts: AlertFacts;
}

/** The target did not take an alert. */
class RefusedAlertError extends Error {
  override readonly name = 'RefusedAlertError';
}

/** How long a server has to take an alert, milliseconds, and the largest response that is read, bytes. */
const REQUEST = { ms: 10_000, maxBytes: 1024 * 1024 };

type Outcome = Pick<Trace, 'did' | 'started'>;
type Target = 'workflow' | 'url';
type Send = (ports: RunnerPorts, alerts: AlertSettings, delivery: AlertDelivery, alert: Alert) => Promise<Outcome>;

const SEND: Readonly<Record<Target, Send>> = {
  workflow: async (ports, alerts, { message, recorded }, alert) =>
    startByAlert(ports, { namespace: message.namespace, path: alertWorkflowOf(alerts) ?? '' }, recorded, alert),
  url: post,
};

/** The headers that sign a request by the secret of the setting; none without one. Throws RefusedAlertError without its value. */
async function signatureOf(
  ports: RunnerPorts,
  { secret: name }: AlertSettings,
  { namespaceId: id, namespace }: Message,
  { id: alert, body }: { readonly id: string; readonly body: Uint8Array },
): Promise<Readonly<Record<string, string>>> {
  if (name === undefined) return {};
  const secret = (await secrets.read(ports, { id, name: namespace }, [name])).get(name) ?? '';
  if (secret === '') throw new RefusedAlertError(`the secret '${name}' of 'alerts.secret' has no value`);
  return standardHeaders({ secret, id: alert, time: String(Math.floor(ports.clock.now() / SECOND_MS)) }, body);
}

async function post(
  ports: RunnerPorts,
  alerts: AlertSettings,
  { message }: AlertDelivery,
  alert: Alert,
): Promise<Outcome> {
  const url = new URL(alerts.url ?? '');
  const body = Buffer.from(JSON.stringify(alert));
  const { status } = await ports.web.send({
    url,
    method: 'POST',
    headers: {
      'user-agent': `weft/${ports.settings.version}`,
      'content-type': 'application/json',
      'idempotency-key': alert.id,
      ...(await signatureOf(ports, alerts, message, { id: alert.id, body })),
    },
    credentials: {},
    body,
    redirects: 0,
    isInsecure: false,
    opened: async () => (await namespaces.need(ports, message.namespace)).egress,
    ...REQUEST,
  });
  if (status < 200 || status > 299) throw new RefusedAlertError(`'${url.host}' answered ${status} to the alert`);
  return { did: `sent to '${url.host}'` };
}

/** The name of an alert: its event, or a replay of it. */
const idOf = (recorded: Recorded): string => recorded.replay?.id ?? nameOf(recorded);

/** Whether the run is as an alert of the kind says: the event may be one that a client sent. */
const IS_OWED: Readonly<Record<AlertKind, (run: runs.Run) => boolean>> = {
  failed: ({ status }) => status === 'failed' || status === 'crashed',
  late: ({ status }) => status === 'pending',
};

/** What an alert comes to: its trace, and whether its delivery is complete. */
interface Result extends Outcome {
  readonly isOver: boolean;
}

const over = (did: string): Result => ({ did, isOver: true });

/**
 * Sends the alert that a run owes, or leaves it to the next one of its workflow. Safe to repeat and to run concurrently: a
 * workflow is started once, a request may be sent again with the same id. An alert that the target does not take is a dead
 * letter at once, and the reconciler tries again for a day.
 */
export async function deliverAlert(ports: RunnerPorts, delivery: AlertDelivery): Promise<void> {
  const { recorded, facts, message } = delivery;
  const { isOver, ...outcome } = await resultOf(ports, delivery).catch(async (error: unknown) => {
    if (error instanceof OverRateError) return comeAgain(ports, message, ports.clock.now() + error.delayMs);
    return keepFailed(ports, message, error);
  });
  const trace = { listener: 'alerts', workflow: facts.workflow, matches: true, ...outcome };
  await traces.add(ports, recorded, [trace], isOver);
}

async function resultOf(ports: RunnerPorts, delivery: AlertDelivery): Promise<Result> {
  const { message, facts } = delivery;
  const namespace = await namespaces.need(ports, message.namespace).catch(ignoreNotFound);
  const run = await runs.find(ports, facts.instance);
  if (run === undefined || run.namespaceId !== namespace?.id) return over('nothing: the run is gone');
  if (!IS_OWED[facts.kind](run)) return over('nothing: the run owes no alert');
  if (facts.kind === 'late') await announceLate(ports, namespace, run);
  const { alerts } = namespace;
  if (alerts === undefined || run.settings.alerts !== true) return over('nothing: there are no alerts about the run');
  return send(ports, delivery, run, alerts);
}

/** Sends the event about a run that is late, once, if its namespace wants it. */
async function announceLate(ports: RunnerPorts, namespace: Namespace, run: runs.Run): Promise<void> {
  if (!run.settings.broadcasts.includes('instance.late')) return;
  const naming = { id: `late-${run.id}`, source: ports.settings.brand };
  const event = broadcastEvent('instance.late', { workflowPath: run.path, instanceId: run.id }, naming);
  await receive(ports, namespace, event).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'exists') throw error;
  });
}

async function send(
  ports: RunnerPorts,
  { message, recorded, facts }: AlertDelivery,
  run: runs.Run,
  alerts: AlertSettings,
): Promise<Result> {
  const workflow = alertWorkflowOf(alerts);
  if (workflow === run.path) return over('nothing: it is the workflow that alerts start');
  const decision = await decide(ports, run, alerts, recorded);
  if (decision.do === 'leave out') return over('left out: the next alert counts it');
  if (decision.do === 'hold') return comeAgain(ports, message, decision.until);
  const alert = await alertOf(ports, run, {
    ...{ id: idOf(recorded), kind: facts.kind, more: decision.more },
    time: facts.kind === 'late' ? recorded.due : run.updated,
  });
  const target = workflow === undefined ? 'url' : 'workflow';
  const outcome = await SEND[target](ports, alerts, { message, recorded, facts }, alert);
  if (recorded.traces.some(({ did }) => did.startsWith(FAILED))) {
    await deadLetters.removeDelivered(ports, message.namespaceId, { kind: 'event', message, to: '' });
  }
  return { ...outcome, isOver: true };
}

async function decide(
  ports: RunnerPorts,
  { workflowId }: runs.Run,
  alerts: AlertSettings,
  recorded: Recorded,
): Promise<Decision> {
  const window = windowOf(alerts);
  if (window === 0) return { do: 'send', more: 0 };
  return claim(ports, {
    ...{ workflowId, window },
    name: idOf(recorded),
    delivery: recorded.replay?.key ?? recorded.key,
  });
}

/** Delivers the message again at a time, milliseconds since 1970. */
async function comeAgain({ bus }: RunnerPorts, message: Message, at: number): Promise<Result> {
  const again = { ...message, round: (message.round ?? 0) + 1 };
  await bus.publishAt(at, `alert-${message.replay ?? message.id}-${at}`, again);
  return { did: `waits until ${toTimestamp(at)}`, isOver: false };
}

const FAILED = 'failed: ';

/** Keeps an alert that its target did not take. Throws any other error. */
async function keepFailed(ports: RunnerPorts, message: Message, error: unknown): Promise<Result> {
  const isOfTarget =
    error instanceof UnreachableError ||
    error instanceof RefusedAlertError ||
    error instanceof ServiceError ||
    error instanceof ExternalSecretError;
  if (!isOfTarget) throw error;
  const text = `alert: ${error.message}`;
  const failure = { failed: ports.clock.now(), tries: 1, error: text };
  await deadLetters.add(ports, message.namespaceId, { kind: 'event', message, to: '' }, failure);
  return { did: `${FAILED}${error.message}`, isOver: false };
}
