import type { Namespace } from '../domain/namespaces.ts';
import * as variables from '../domain/variables.ts';
import { announce } from './announcements.ts';
import type { EnginePorts } from './engine-ports.ts';

/** Whose variables a request is about. */
export interface Holder {
  readonly namespace: Namespace;
  readonly owner: variables.Owner & { readonly scope: 'namespace' | 'workflow' | 'instance' };
  /** What an event says of the owner besides. */
  readonly facts: { readonly workflowPath: string; readonly instanceId: string };
}

type Change = 'create' | 'update' | 'delete';

async function tell(ports: EnginePorts, holder: Holder, change: Change, key: string, size: number): Promise<void> {
  const kind = `${holder.owner.scope}.variable.${change}` as const;
  await announce(ports, holder.namespace, kind, { key, size, ...holder.facts });
}

/** Sets a variable and sends the event about it. Throws what `variables.set` throws. */
export async function setVariable(
  ports: EnginePorts,
  holder: Holder,
  name: string,
  content: Parameters<typeof variables.set>[3],
): Promise<variables.Described> {
  const { variable, isNew } = await variables.set(ports, holder.owner, name, content);
  await tell(ports, holder, isNew ? 'create' : 'update', name, variable.bytes.length);
  return variables.describe(variable);
}

/** Deletes a variable and sends the event about it. Throws `not-found`. */
export async function deleteVariable(ports: EnginePorts, holder: Holder, name: string): Promise<void> {
  const size = await variables.remove(ports, holder.owner, name);
  await tell(ports, holder, 'delete', name, size);
}
