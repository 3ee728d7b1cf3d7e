import { ServiceError } from '../../domain/errors.ts';
import type { Call } from '../http/call.ts';
import type { PortsOf, RouteId } from '../registry/routes/index.ts';

/** The poll interval of objects that also change outside the database, in milliseconds. */
export const WATCH_INTERVAL_MS = 500;

/** Returns the events since its last call, one for each change; an empty list if nothing changed. */
export type ChangeReader<Id extends RouteId> = (ports: PortsOf<Id>, call: Call<Id>) => Promise<readonly object[]>;

/** The source of an event stream with one event for each change of an object. */
export interface Watcher<Id extends RouteId> {
  /** Makes the reader of one stream. It keeps the objects that it read last, so each stream has its own. */
  readonly begin: () => ChangeReader<Id>;
  /** The longest time between two reads, in milliseconds: the objects also change outside the database. */
  readonly pollInterval: number;
}

/** The state of objects at one moment, by their constant names. */
type Snapshot = ReadonlyMap<string, object>;

const isNotFound = (error: unknown): boolean => error instanceof ServiceError && error.code === 'not-found';

/**
 * The events between two snapshots (rest-api reference, 11.6): `ADDED` and `MODIFIED` with the new object, `DELETED` with
 * the last one.
 */
export function changesBetween(before: Snapshot, after: Snapshot): object[] {
  const present = [...after].flatMap(([name, object]) => {
    const old = before.get(name);
    if (old === undefined) return [{ event: 'ADDED', ...object }];
    return JSON.stringify(old) === JSON.stringify(object) ? [] : [{ event: 'MODIFIED', ...object }];
  });
  const deleted = [...before].filter(([name]) => !after.has(name));
  return [...present, ...deleted.map(([, object]) => ({ event: 'DELETED', ...object }))];
}

/**
 * A watcher whose stream begins with an `ADDED` event for each object, followed by the changes. When the parent of the
 * objects is deleted, the stream has a `DELETED` event for each object and then ends.
 */
export function watchObjects<Id extends RouteId>(
  read: (ports: PortsOf<Id>, call: Call<Id>) => Promise<Snapshot>,
): Watcher<Id> {
  const begin = (): ChangeReader<Id> => {
    let before: Snapshot = new Map();
    return async (ports, call) => {
      const after = await read(ports, call).catch((error: unknown): Snapshot => {
        if (isNotFound(error) && before.size > 0) return new Map();
        throw error;
      });
      const changes = changesBetween(before, after);
      before = after;
      return changes;
    };
  };
  return { begin, pollInterval: WATCH_INTERVAL_MS };
}
