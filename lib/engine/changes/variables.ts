import { note } from '../../domain/logs/change-lines.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import * as variables from '../../domain/namespaces/variables.ts';
import { broadcastEvent } from '../../events/broadcasts.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import type { EnginePorts } from '../ports.ts';
import { announce } from './announcements.ts';

/** The owner of the variables that a request changes. */
export interface Holder {
  readonly namespace: Namespace;
  readonly owner: variables.Owner & { readonly scope: 'namespace' | 'workflow' | 'instance' };
  /** The fields that name the owner in an event. */
  readonly facts: { readonly workflowPath: string; readonly instanceId: string };
}

type Change = 'create' | 'update' | 'delete';

/** Writes the log line about a change that was made. A run logs the changes of its own variables itself. */
export async function noteChange(ports: EnginePorts, { namespace, owner, facts }: Holder, change: Change, key: string) {
  const node = { id: owner.id, path: facts.workflowPath };
  if (owner.scope === 'namespace') await note(ports, 'namespace.variable', { namespace }, change, key);
  if (owner.scope === 'workflow') await note(ports, 'workflow.variable', { namespace, node }, change, key);
}

/** The event about a change of a variable, to be sent `BROADCAST_DELAY` later; undefined if its namespace does not ask for it. */
export function changeEvent(
  { clock, settings }: Pick<EnginePorts, 'clock' | 'settings'>,
  { namespace, owner, facts }: Holder,
  change: Change,
  { name: key, bytes }: Pick<variables.Variable, 'name' | 'bytes'>,
): CloudEvent | undefined {
  const kind = `${owner.scope}.variable.${change}` as const;
  if (!namespace.broadcasts.includes(kind)) return undefined;
  return broadcastEvent(kind, { key, size: bytes.length, ...facts }, { id: clock.uuid(), source: settings.brand });
}

interface ChangedVariable {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** Writes the log line about a change, and sends the event. */
async function announceChange(
  ports: EnginePorts,
  holder: Holder,
  change: Change,
  { key, size }: ChangedVariable,
): Promise<void> {
  await noteChange(ports, holder, change, key);
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
  const { variable, replaces } = await variables.set(ports, holder, name, content);
  await announceChange(ports, holder, replaces === undefined ? 'create' : 'update', {
    key: name,
    size: variable.bytes.length,
  });
  return variables.describe(variable);
}

/** Deletes a variable and sends the event about it. Throws `not-found`. */
export async function deleteVariable(ports: EnginePorts, holder: Holder, name: string): Promise<void> {
  const size = await variables.remove(ports, holder, name);
  await announceChange(ports, holder, 'delete', { key: name, size });
}
