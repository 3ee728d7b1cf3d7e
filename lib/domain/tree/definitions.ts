import type { Ports } from '../../ports/ports.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { countAll, pagesOf } from '../storage/queries.ts';
import type { Revision } from './revisions.ts';

type Needs = Pick<Ports, 'table'>;

/** A revision whose machine is to be defined when the quota of definitions allows it. */
export interface Postponed {
  readonly workflow: string;
  readonly revision: string;
}

const PAGE_SIZE = 100;

/** Remembers that the machine of a revision is to be defined later. Idempotent. */
export async function postpone({ table }: Needs, { workflow, id }: Pick<Revision, 'workflow' | 'id'>): Promise<void> {
  await table.write([putAt(keys.postponedDefinition(workflow, id), { workflow, revision: id })]);
}

/** The number of machines that are to be defined later. */
export const countPostponed = ({ table }: Needs): Promise<number> => countAll(table, keys.POSTPONED_DEFINITIONS);

/** Yields what is postponed, in no particular order. */
export async function* allPostponed({ table }: Needs): AsyncGenerator<Postponed> {
  for await (const items of pagesOf(table, { ...keys.POSTPONED_DEFINITIONS, limit: PAGE_SIZE })) {
    yield* items.map(({ workflow, revision }) => ({ workflow: String(workflow), revision: String(revision) }));
  }
}

/** Forgets a definition: it was made, or its workflow was deleted. */
export async function complete({ table }: Needs, { workflow, revision }: Postponed): Promise<void> {
  await table.write([{ do: 'delete', key: keys.postponedDefinition(workflow, revision) }]);
}
