import type { Plan } from '../../compiler/plan/plan.ts';
import type { Table, Write } from '../../ports/table.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys/concurrency-keys.ts';

/** The limit of the latest revision of a workflow; infinite if that has none. */
export async function limitOf(table: Table, workflowId: string): Promise<number> {
  const [item] = await table.get([keys.concurrencyLimit(workflowId)]);
  return item === undefined ? Number.POSITIVE_INFINITY : Number(item['limit']);
}

/** The writes by which the limit of a workflow follows a change of its latest revision. */
export function limitWrites(workflowId: string, before: Plan | undefined, after: Plan | undefined): Write[] {
  const key = keys.concurrencyLimit(workflowId);
  const [old, limit] = [before?.concurrency?.limit, after?.concurrency?.limit];
  if (old === limit) return [];
  return [limit === undefined ? { do: 'delete', key } : putAt(key, { limit })];
}
