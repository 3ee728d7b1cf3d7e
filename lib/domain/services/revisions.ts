import type { ContainerRevision, RegistryCredentials } from '../../ports/containers.ts';
import { generationText, type Naming, revisionId, revisionName, shownName } from './names.ts';
import type { ServiceSettings } from './settings.ts';

/** A revision of a service. It never changes. */
export interface ServiceRevision extends ServiceSettings {
  /** Counts up from 1 within a service. */
  readonly generation: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** How many revisions a service keeps; of more, the oldest without traffic are deleted (rest-api reference, 11.4). */
export const MAX_REVISIONS = 10;

interface Owner {
  readonly id: string;
  readonly naming: Naming;
}

/** The tenant that the containers of a service belong to; undefined for a service of the installation. */
type Tenant = NonNullable<ContainerRevision['tenant']> | undefined;

/** The names of a revision of a service. */
export interface RevisionNames {
  /** The name that users see: `namespace-demo-fast-00002`. */
  readonly name: string;
  /** The id in the port of containers. */
  readonly id: string;
  /** `00002`. */
  readonly suffix: string;
}

/** The names of a revision of a service. */
export function namesOf({ id, naming }: Owner, { generation }: Pick<ServiceRevision, 'generation'>): RevisionNames {
  const service = shownName(naming);
  return {
    name: revisionName(service, generation),
    id: revisionId(id, service, generation),
    suffix: generationText(generation),
  };
}

/** The revision as the port of containers takes it. */
export function toContainer(
  { tenant, ...owner }: Owner & { readonly tenant: Tenant },
  revision: ServiceRevision,
  credentials: readonly RegistryCredentials[],
): ContainerRevision {
  const { image, command, environment, size, minScale } = revision;
  const { id } = namesOf(owner, revision);
  return { id, image, command, environment, size, minScale, ...(tenant && { tenant }), credentials };
}

/** Splits revisions into those to keep, the newest first, and the expired ones. One with traffic is always kept. */
export function retained(
  revisions: readonly ServiceRevision[],
  hasTraffic: (revision: ServiceRevision) => boolean,
): { readonly kept: readonly ServiceRevision[]; readonly expired: readonly ServiceRevision[] } {
  const sorted = [...revisions].sort((a, b) => b.generation - a.generation);
  const isKept = (revision: ServiceRevision, index: number) => index < MAX_REVISIONS || hasTraffic(revision);
  return { kept: sorted.filter(isKept), expired: sorted.filter((revision, index) => !isKept(revision, index)) };
}
