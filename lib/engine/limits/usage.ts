import { keptRuns } from '../../domain/metrics/kept-runs.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { readStored } from '../../domain/namespaces/stored-variables.ts';
import { mostOf, NAMESPACE_QUOTAS, type NamespaceQuota } from '../../domain/quotas.ts';
import * as keys from '../../domain/storage/keys.ts';
import { countAll } from '../../domain/storage/queries.ts';
import type { EnginePorts } from '../ports.ts';
import { eventsPerSecond } from './event-rate.ts';

/** How much of a quota is used. */
export interface Used {
  readonly name: NamespaceQuota;
  readonly used: number;
  /** How many there may be. */
  readonly most: number;
}

/** How much of its quotas a namespace uses, each as it is counted where it is enforced. */
export async function usageOf(
  ports: Pick<EnginePorts, 'table' | 'clock' | 'settings'>,
  namespace: Namespace,
): Promise<{ readonly quotas: readonly Used[] }> {
  const { table, settings } = ports;
  const { id, counts, limits } = namespace;
  const partitions = [keys.secrets(id), keys.registries(id), keys.namedServices(id)];
  const [stored, runs, rate, ...counted] = await Promise.all([
    readStored(ports, id),
    keptRuns(ports, namespace),
    eventsPerSecond(ports, namespace),
    ...partitions.map((partition) => countAll(table, partition)),
  ]);
  const [secrets = 0, registries = 0, services = 0] = counted;
  const used: Readonly<Record<NamespaceQuota, number>> = {
    ...{ variableBytes: stored.bytes, variables: stored.variables, ...counts },
    ...{ secrets, registries, services, runs, eventsPerSecond: rate },
  };
  return { quotas: NAMESPACE_QUOTAS.map((name) => ({ name, used: used[name], most: mostOf(settings, name, limits) })) };
}
