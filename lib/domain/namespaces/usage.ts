import type { Ports } from '../../ports/ports.ts';
import { mostOf, NAMESPACE_QUOTAS, type NamespaceQuota } from '../quotas.ts';
import * as keys from '../storage/keys.ts';
import { countAll } from '../storage/queries.ts';
import type { Namespace } from './namespaces.ts';
import { readStored } from './stored-variables.ts';

/** How much of a quota is used. */
export interface Used {
  readonly name: NamespaceQuota;
  readonly used: number;
  /** How many there may be. */
  readonly most: number;
}

/** How much of its quotas a namespace uses, each as it is counted where it is enforced. */
export async function usageOf(
  ports: Pick<Ports, 'table' | 'clock' | 'settings'>,
  { id, counts, limits }: Namespace,
): Promise<{ readonly quotas: readonly Used[] }> {
  const { table, settings } = ports;
  const partitions = [keys.secrets(id), keys.registries(id), keys.namedServices(id)];
  const [stored, ...counted] = await Promise.all([
    readStored(ports, id),
    ...partitions.map((partition) => countAll(table, partition)),
  ]);
  const [secrets = 0, registries = 0, services = 0] = counted;
  const used: Readonly<Record<NamespaceQuota, number>> = {
    ...{ variableBytes: stored.bytes, variables: stored.variables, ...counts },
    ...{ secrets, registries, services },
  };
  return { quotas: NAMESPACE_QUOTAS.map((name) => ({ name, used: used[name], most: mostOf(settings, name, limits) })) };
}
