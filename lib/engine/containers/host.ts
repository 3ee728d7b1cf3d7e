import { notFound } from '../../domain/errors.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import type { CallSite } from '../../domain/runs/calls.ts';
import type { Call, Run } from '../../domain/runs/runs.ts';
import type { ContainerHost, OutputScope } from '../../ports/containers.ts';
import { type Holder, setVariable } from '../changes/variables.ts';
import type { EnginePorts } from '../ports.ts';
import type { CallerLog } from './caller-log.ts';
import { readVariable } from './files.ts';

/** The holder of the variables that a container means by a scope. Throws `not-found` when the namespace is deleted. */
export async function holderOf(ports: EnginePorts, child: Run, site: CallSite, scope: OutputScope): Promise<Holder> {
  const namespace = await namespaces.need(ports, child.namespace);
  if (namespace.id !== child.namespaceId) throw notFound('namespace');
  const ids = { namespace: child.namespaceId, workflow: site.workflow.id, instance: site.caller };
  const facts = { workflowPath: site.workflow.path, instanceId: site.caller };
  return { namespace, owner: { scope, id: ids[scope] }, facts };
}

/** The line in an instance's log about a change of its own variable (workflow-language reference, 13). */
export const changeLine = (isNew: boolean, name: string): string =>
  `${isNew ? 'Created' : 'Updated'} instance variable '${name}'.`;

/** The host of a running container: the log and the variables of its caller (workflow-language reference, 11.5). */
export function hostOf(ports: EnginePorts, child: Call, log: CallerLog): ContainerHost {
  return {
    log: async (text) => {
      if (text !== '') await log.add(text);
    },
    variable: (scope, key) => readVariable(ports, child, child.site, { scope, key }),
    setVariable: async (scope, key, bytes, mimeType) => {
      const holder = await holderOf(ports, child, child.site, scope);
      const { createdAt, updatedAt } = await setVariable(ports, holder, key, { bytes, mimeType });
      if (scope === 'instance') await log.add(changeLine(createdAt === updatedAt, key));
    },
  };
}
