import * as dataKeys from '../../domain/credentials/data-keys.ts';
import { existenceCheck } from '../../domain/namespaces/namespaces.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { RunnerPorts } from '../ports.ts';

type SealPorts = Pick<RunnerPorts, 'table' | 'sealer'>;

const bindingOf = ({ namespaceId, id }: Run) => ({ kind: 'native-call', owner: namespaceId, name: id });

const dataKeyFor = (ports: SealPorts, { namespaceId, namespace }: Run) =>
  dataKeys.obtain(ports, namespaceId, [existenceCheck({ id: namespaceId, name: namespace })]);

/** Whether the input of a stored child is encrypted. */
export const isSealed = (child: Run): boolean => child.kind === 'call' && child.callee.kind !== 'container';

/**
 * The child as it is stored: the input of a native function or a worker is encrypted, since it may hold the values of
 * secrets. Any other child stays as it is.
 */
export async function sealInput(ports: SealPorts, child: Run): Promise<Run> {
  if (!isSealed(child)) return child;
  const input = await ports.sealer.seal(await dataKeyFor(ports, child), child.input, bindingOf(child));
  return { ...child, input };
}

/** The input of a stored call of a native function or a worker. Throws when its data key is lost. */
export async function openInput(ports: SealPorts, child: Run): Promise<Uint8Array> {
  return ports.sealer.open(await dataKeyFor(ports, child), child.input, bindingOf(child));
}
