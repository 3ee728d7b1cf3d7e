import type { Ports } from '../../ports/ports.ts';
import type { Write } from '../../ports/table.ts';
import { putAt } from './batches.ts';
import * as keys from './keys.ts';
import { type Spread, spreadItem } from './spread.ts';

/**
 * The removal of the contents of a deleted thing, which cannot be reached any more. Its marker is written in the same
 * transaction as the deletion, so that an interrupted purge is found and finished.
 */
export interface Purge {
  /** The id of the marker. */
  readonly marker: string;
  /** `container` is a revision of a service, by its id in the port of containers. */
  readonly kind: 'namespace' | 'directory' | 'workflow' | 'container';
  readonly id: string;
  readonly namespaceId: string;
  /** The path of a directory or workflow. */
  readonly path?: string;
  /** The name of the namespace of a directory or workflow. */
  readonly namespaceName?: string;
  /** The partitions of a namespace, whose item is deleted. */
  readonly spread?: Spread | undefined;
}

/** The deletion of a state machine, by a handle of the port of executions. */
export interface MachineDeletion extends Omit<Purge, 'kind'> {
  readonly kind: 'machine';
}

/** Returns a new purge, with a new marker. */
export function of({ clock }: Pick<Ports, 'clock'>, target: Omit<Purge, 'marker'>): Purge {
  return { marker: clock.uuid(), ...target };
}

/** The write that stores the marker. */
export const toWrite = ({ marker, spread, ...purge }: Purge | MachineDeletion): Write =>
  putAt(keys.purge(marker), { ...purge, ...spreadItem(spread) });

/** The write that deletes the marker. */
export const toDeletion = ({ marker }: Pick<Purge, 'marker'>): Write => ({ do: 'delete', key: keys.purge(marker) });
