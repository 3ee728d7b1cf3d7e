import type { Labels } from '../../language/labels.ts';
import type { Table } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as runs from '../runs/runs.ts';
import { getAll } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { type List, mapList } from '../storage/lists.ts';
import type { InstanceRecord } from './instances.ts';

/** The most runs of a page whose labels are read: each is an item of its own. */
const MAX_LABELLED = 200;

/**
 * Adds the labels to the rows of a list. The index of the list has no labels, so that the item of each run is read.
 * Throws `refused` for a list of more than 200 rows.
 */
export async function withLabels(
  table: Table,
  list: List<InstanceRecord>,
): Promise<List<InstanceRecord & { readonly labels?: Labels }>> {
  const { results } = list;
  if (results.length > MAX_LABELLED) {
    const text = `labels are returned for at most ${MAX_LABELLED} runs; give a limit of ${MAX_LABELLED} or less`;
    throw new ServiceError('refused', text);
  }
  const items = await getAll(
    table,
    results.map(({ id }) => keys.run(id)),
  );
  const found = new Map(results.map(({ id }, index) => [id, items[index]]));
  return mapList(list, (row) => {
    const item = found.get(row.id);
    const labels = item === undefined ? undefined : runs.labelsIn(item);
    return labels === undefined ? row : { ...row, labels };
  });
}
