import { matching } from '../../../domain/instances/finding.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { runOrder } from '../../../domain/storage/keys.ts';
import type { ListRequest } from '../../../domain/storage/list-requests.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import type { CleanupPorts } from '../../ports.ts';

/** Runs of a namespace that a request changes, a part of them at a time. */
export interface Selection {
  /** The filters of the list of instances. */
  readonly request: ListRequest;
  /** Only runs that were started until then, milliseconds since 1970. */
  readonly at: number;
  /** The id of the run after which it goes on; empty: from the oldest one. */
  readonly after: string;
}

type Filter = ListRequest['filter'][number];

const timeFilter = (type: 'AFTER' | 'BEFORE', ms: number): Filter => ({ field: 'CREATED', type, val: toTimestamp(ms) });

/** The period of the selection: from the run after which it goes on, until its time. */
function bounded({ request, at }: Selection, last: runs.Run | undefined): ListRequest {
  const since = last === undefined ? [] : [timeFilter('AFTER', last.created)];
  return { ...request, filter: [...request.filter, ...since, timeFilter('BEFORE', at)] };
}

/**
 * The runs that the filters select, the oldest first, after the one where it goes on. Throws `not-found`, `refused`, and
 * `malformed` for a filter that is unknown. `mayGoOn` is asked after each page of the table.
 */
export async function* selected(
  ports: CleanupPorts,
  namespace: string,
  selection: Selection,
  mayGoOn = () => true,
): AsyncGenerator<runs.Head> {
  const { after } = selection;
  const found = after === '' ? undefined : await runs.find(ports, after);
  // A run of another namespace is one that does not exist: the reply must not disclose that it does.
  const last = found?.namespace === namespace ? found : undefined;
  // The run itself may be in the list no longer, as one that was cancelled.
  const place = last === undefined ? '' : runOrder(last.created, last.id);
  for await (const head of matching(ports, namespace, bounded(selection, last), mayGoOn)) {
    if (runOrder(head.created, head.id) > place) yield head;
  }
}
