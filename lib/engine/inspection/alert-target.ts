import { initializedOf } from '../../domain/credentials/secrets.ts';
import { ignoreNotFound } from '../../domain/errors.ts';
import { type AlertChanges, alertWorkflowOf } from '../../domain/namespaces/alert-settings.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';

type Needs = Pick<Ports, 'table'>;

async function workflowWarnings(ports: Needs, namespace: string, alerts: AlertChanges): Promise<readonly string[]> {
  const path = alertWorkflowOf(omitUndefined({ workflow: alerts.workflow || undefined }));
  if (path === undefined) return [];
  const found = await nodes.need(ports, namespace, path).catch(ignoreNotFound);
  if (found !== undefined && nodes.isWorkflow(found.node)) return [];
  const what = found === undefined ? 'does not exist' : 'is a directory';
  return [`alerts.workflow: '${path}' ${what}; no alert arrives before a workflow is stored there`];
}

async function secretWarnings(ports: Needs, namespace: string, { secret }: AlertChanges): Promise<readonly string[]> {
  if (!secret) return [];
  const isSet = (await initializedOf(ports, await namespaces.need(ports, namespace))).get(secret);
  return isSet === true ? [] : [`alerts.secret: '${secret}' has no value; no alert is sent before it has one`];
}

/**
 * Why the alerts of a namespace would not arrive as they have just been set, one sentence each: the workflow to which they
 * go, and the secret that signs them, may be stored later, so the setting is no mistake. Empty where alerts were not set.
 */
export async function alertWarnings(
  ports: Needs,
  namespace: string,
  alerts: AlertChanges | null | undefined,
): Promise<readonly string[]> {
  if (!alerts) return [];
  return [...(await workflowWarnings(ports, namespace, alerts)), ...(await secretWarnings(ports, namespace, alerts))];
}
