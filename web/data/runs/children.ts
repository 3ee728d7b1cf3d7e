import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { every } from '../api/asking.ts';
import { call, filterQuery } from '../api/client.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { instantOf } from '../format/time.ts';
import { isOver } from './status.ts';

/** The most child runs that a timeline shows. */
const MOST_CHILDREN = 500;
const AGAIN_MS = 3000;

/** The child runs that were read, the oldest first. */
export interface Children {
  readonly runs: readonly InstanceRecord[];
  /** The run has more child runs. */
  readonly isPart: boolean;
  /** False until the first reply. */
  readonly isRead: boolean;
  readonly error?: ApiError;
}

const NONE: Children = { runs: [], isPart: false, isRead: false };

/** The child runs to read: those with these ids, or all. */
export interface Wanted {
  readonly ids: readonly string[];
  readonly isAll: boolean;
}

const byStart = (a: InstanceRecord, b: InstanceRecord): number => instantOf(a.createdAt) - instantOf(b.createdAt);

/** Reads single runs; a deleted run is left out. */
async function readEach(namespace: string, ids: readonly string[], known: Children): Promise<Children> {
  const ended = new Map(known.runs.filter(isOver).map((run) => [run.id, run]));
  const found = await Promise.all(
    ids.map(
      async (id) =>
        ended.get(id) ??
        call('getInstance', { namespace, instance: id }).then(
          (reply) => reply.instance,
          (error: unknown) => {
            if (toApiError(error).status === 404) return undefined;
            throw error;
          },
        ),
    ),
  );
  return { runs: found.filter((run) => run !== undefined).sort(byStart), isPart: false, isRead: true };
}

/** Lists the child runs of a run among the runs that began during it. */
async function readAll(namespace: string, parent: InstanceRecord): Promise<Children> {
  const until = isOver(parent) ? [{ field: 'CREATED', type: 'BEFORE', val: parent.updatedAt }] : [];
  const filters = [
    { field: 'TRIGGER', type: 'MATCH', val: `instance:${parent.id}` },
    { field: 'CREATED', type: 'AFTER', val: parent.createdAt },
    ...until,
  ];
  const order = { 'order.field': 'CREATED', 'order.direction': 'ASC' };
  const query = { ...filterQuery(filters), ...order, limit: MOST_CHILDREN };
  const { results, pageInfo } = (await call('listInstances', { namespace }, { query })).instances;
  return { runs: results, isPart: pageInfo.total > results.length, isRead: true };
}

/** The child runs of a run, polled while it is in progress. */
export function useChildren(
  namespace: string,
  parent: InstanceRecord,
  { ids, isAll }: Wanted,
): ReadonlySignal<Children> {
  const shown = useMemo(() => signal(NONE), [parent.id]);
  useEffect(() => {
    if (ids.length === 0 && !isAll) return undefined;
    let isClosed = false;
    const read = async () => {
      const found = await (isAll ? readAll(namespace, parent) : readEach(namespace, ids, shown.peek())).catch(
        (error: unknown) => ({ ...shown.peek(), error: toApiError(error) }),
      );
      if (!isClosed) shown.value = found;
    };
    void read();
    const stop = isOver(parent) ? undefined : every(AGAIN_MS, () => void read());
    return () => {
      isClosed = true;
      stop?.();
    };
  }, [shown, namespace, parent.status, ids.join(), isAll]);
  return shown;
}
