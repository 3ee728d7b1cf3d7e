import { ignoreNotFound } from '../../domain/errors.ts';
import { type AlertChanges, alertWorkflowOf } from '../../domain/namespaces/alert-settings.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * Why the alerts of a namespace would not arrive as they have just been set, one sentence each: the workflow to which they
 * go may be stored later, so the setting is no mistake. Empty for a URL, and where alerts were not set.
 */
export async function alertWarnings(
  ports: Pick<Ports, 'table'>,
  namespace: string,
  alerts: AlertChanges | null | undefined,
): Promise<readonly string[]> {
  const path = alertWorkflowOf(omitUndefined({ workflow: alerts?.workflow || undefined }));
  if (path === undefined) return [];
  const found = await nodes.need(ports, namespace, path).catch(ignoreNotFound);
  if (found !== undefined && nodes.isWorkflow(found.node)) return [];
  const what = found === undefined ? 'does not exist' : 'is a directory';
  return [`alerts.workflow: '${path}' ${what}; no alert arrives before a workflow is stored there`];
}
