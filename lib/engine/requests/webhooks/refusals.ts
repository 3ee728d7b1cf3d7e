import type { WebhookVerification } from '../../../compiler/plan/webhooks.ts';
import { note } from '../../../domain/logs/change-lines.ts';
import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import { RecentMap } from '../../../domain/recent-map.ts';
import type { WorkflowNode } from '../../../domain/tree/nodes.ts';
import { MINUTE_MS } from '../../../time/units.ts';
import type { EnginePorts } from '../../ports.ts';
import { secretsOf } from './verification.ts';

/** The pause after a line about a webhook, in each process: a stranger can send any number of requests. */
const PAUSE_MINUTES = 10;

/** When a process last wrote a line about a webhook, by the id of its workflow; milliseconds since 1970. */
const written = new RecentMap<number>();

/** The kinds whose signature has a time always. */
const TIMED: ReadonlySet<WebhookVerification['kind']> = new Set(['stripe', 'slack', 'standard']);

const isTimed = (verification: WebhookVerification): boolean =>
  verification.kind === 'hmac' ? verification.timestamp !== undefined : TIMED.has(verification.kind);

/** Why a request is not verified, for the owner of the webhook. */
export function unverifiedReason(verification: WebhookVerification, values: ReadonlyMap<string, string>): string {
  const names = secretsOf(verification);
  const missing = names.find((name) => (values.get(name) ?? '') === '');
  if (missing !== undefined) return `the secret '${missing}' has no value`;
  const secret = names.map((name) => `the value of the secret '${name}'`).join();
  const time = isTimed(verification) ? ', and the present time' : '';
  return `its verification '${verification.kind}' failed; the sender must use ${secret}${time}`;
}

/** Writes a line about a request that was refused into the log of the namespace, at most one in 10 minutes. */
export async function noteRefusal(
  ports: Pick<EnginePorts, 'table' | 'clock' | 'settings'>,
  { namespace, node }: { readonly namespace: Namespace; readonly node: WorkflowNode },
  reason: string,
): Promise<void> {
  const now = ports.clock.now();
  if (now - (written.get(node.id) ?? Number.NEGATIVE_INFINITY) < PAUSE_MINUTES * MINUTE_MS) return;
  written.set(node.id, now);
  await note(ports, 'webhook.refuse', { namespace }, node.path, reason, PAUSE_MINUTES);
}
