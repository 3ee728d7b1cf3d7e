import type { Clock } from '../../ports/clock.ts';
import type { Write } from '../../ports/table.ts';
import * as keys from './keys.ts';

/**
 * What was deleted is out of reach at once; its contents are removed afterwards. The marker is written with the
 * deletion, so a purge that was cut short is found and finished by the next one.
 */
export interface Purge {
  readonly marker: string;
  /** A container is a revision of a service, by its id of the port. */
  readonly kind: 'namespace' | 'directory' | 'workflow' | 'container';
  readonly id: string;
  readonly namespaceId: string;
}

export function of({ clock }: { clock: Clock }, what: Pick<Purge, 'kind' | 'id' | 'namespaceId'>): Purge {
  return { marker: clock.uuid(), ...what };
}

export function toWrite({ marker, kind, id, namespaceId }: Purge): Write {
  return { do: 'put', table: 'catalog', item: { pk: keys.PURGES, sk: marker, kind, id, namespaceId } };
}

export const toDeletion = ({ marker }: Purge): Write => ({ do: 'delete', key: keys.purge(marker) });
