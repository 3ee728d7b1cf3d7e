import type { Item, TableName } from '../../ports/table.ts';
import { blobsOf } from '../events/traces.ts';
import { orderedId } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { blobsIn } from '../storage/texts.ts';

/** The items and blobs that belong to one item, and have no use without it. */
export interface Remains {
  /** Partitions whose items are removed with it. */
  readonly partitions: readonly keys.Partition[];
  /** Beginnings of the keys of blobs. */
  readonly blobs: readonly string[];
}

const RUN = keys.run('').pk;

/** The log, the record and the variables of a run. Its children may still use the variables of its threads. */
function remainsOfRun(id: string): Remains {
  return {
    partitions: [keys.logs(id), keys.records(id), keys.variables({ scope: 'instance', id })],
    blobs: [keys.blobOf('runs', orderedId(id), ''), keys.blobOf('instances', orderedId(id), '')],
  };
}

/** The remains of an item whose time to live is over, once the item is removed. */
export function remainsOf(table: TableName, item: Item): Remains {
  if (table === 'runs' && item.pk.startsWith(RUN)) return remainsOfRun(keys.runIdIn(item.pk));
  if (table !== 'journal') return { partitions: [], blobs: blobsIn(item) };
  // Each delivery of an event stores all its traces, and the item refers to the newest blob only.
  const traces = item['trace'] === undefined ? [] : [blobsOf(item)];
  return { partitions: [], blobs: [...blobsIn(item), ...traces] };
}
