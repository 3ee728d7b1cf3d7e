import type { WebhookStart, WebhookVerification } from '../../../compiler/plan/webhooks.ts';
import * as secrets from '../../../domain/credentials/secrets.ts';
import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import type { WorkflowNode } from '../../../domain/tree/nodes.ts';
import * as walks from '../../../domain/tree/walks.ts';
import type { EnginePorts } from '../../ports.ts';
import { signedRequest, variableOf } from './curl.ts';
import { secretsOf } from './verification.ts';

/** A webhook as lists show it. */
export interface WebhookRecord {
  readonly workflow: string;
  /** A URL, or a path if the URL of the service is not known. */
  readonly url: string;
  /** A workflow that is disabled takes no requests. */
  readonly live: boolean;
  readonly verification: WebhookVerification['kind'];
  /** The secret that verifies the requests, and the variable of the shell line that holds its value. */
  readonly secret?: { readonly name: string; readonly variable: string; readonly initialized: boolean };
  /** The sender waits for the end of the run. */
  readonly reply?: 'wait';
  /** The type of the event that each request is sent as. */
  readonly event?: string;
  /** A line of a POSIX shell that sends a signed request; it reads the URL and the secret from variables. */
  readonly curl: string;
}

/** Webhooks, and whether these are all. */
export interface Webhooks {
  readonly webhooks: readonly WebhookRecord[];
  readonly complete: boolean;
}

/** The most workflows that a request examines: each costs a read. */
const MAX_EXAMINED = 5_000;

function urlOf({ settings }: Pick<EnginePorts, 'settings'>, namespace: string, path: string): string {
  const segments = [namespace, ...path.split('/')].filter(Boolean).map(encodeURIComponent);
  return `${(settings.url ?? '').replace(/\/$/, '')}/api/hooks/${segments.join('/')}`;
}

interface Found {
  readonly node: WorkflowNode;
  readonly start: WebhookStart;
}

function toRecord(url: string, { node, start }: Found, known: ReadonlyMap<string, boolean>): WebhookRecord {
  const { verify, reply, event } = start;
  const [name] = secretsOf(verify);
  const secret = name === undefined ? undefined : { name, variable: variableOf(name) };
  return {
    workflow: node.path,
    url,
    live: node.live,
    verification: verify.kind,
    ...(secret === undefined ? {} : { secret: { ...secret, initialized: known.get(secret.name) === true } }),
    ...(reply === undefined ? {} : { reply }),
    ...(event === undefined ? {} : { event: event.type }),
    curl: signedRequest(verify, '{}'),
  };
}

/** The webhooks of a namespace, by the paths of their workflows; among its first 5,000 workflows. */
export async function listWebhooks(
  ports: Pick<EnginePorts, 'table' | 'blobs' | 'settings'>,
  namespace: Namespace,
): Promise<Webhooks> {
  const examined: WorkflowNode[] = [];
  let complete = true;
  for await (const node of walks.workflowsOf(ports, namespace)) {
    complete = examined.length < MAX_EXAMINED;
    if (!complete) break;
    examined.push(node);
  }
  const latest = await walks.latestOf(ports, examined);
  const found = examined.flatMap((node, index): Found[] => {
    const start = latest[index]?.plan?.start;
    return start?.type === 'webhook' ? [{ node, start }] : [];
  });
  const known = found.length === 0 ? new Map() : await secrets.initializedOf(ports, namespace);
  const records = found.map((one) => toRecord(urlOf(ports, namespace.name, one.node.path), one, known));
  return { webhooks: records.toSorted((a, b) => a.workflow.localeCompare(b.workflow)), complete };
}
