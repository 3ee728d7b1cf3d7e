import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { countAll, pagesOf, readAll } from '../storage/queries.ts';
import type { Revision } from './revisions.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** A revision whose machine is to be defined when the quota of definitions allows it. */
export interface Postponed {
  readonly key: Key;
  readonly workflow: string;
  readonly revision: string;
  /** The id of its namespace. */
  readonly namespace: string;
  /** The path of its workflow when it was postponed. */
  readonly path: string;
  /** The reason why the last attempt failed; undefined: it was not attempted. */
  readonly failure: string | undefined;
}

/** Where a revision belongs. */
export interface Place {
  readonly namespace: { readonly id: string };
  readonly node: { readonly path: string };
}

const PAGE_SIZE = 100;
/** The longest reason of a failure that is kept, characters. */
const MAX_FAILURE = 1_000;

function fromItem({ pk, sk, workflow, revision, namespace, path, failure }: Item): Postponed {
  return {
    key: { table: keys.POSTPONED_DEFINITIONS.table, pk, sk },
    workflow: String(workflow),
    revision: String(revision),
    namespace: String(namespace),
    path: String(path),
    failure: typeof failure === 'string' ? failure : undefined,
  };
}

/** Remembers that the machine of a revision is to be defined later. Idempotent. */
export async function postpone(
  { table, clock }: Needs,
  { namespace, node }: Place,
  { workflow, id }: Pick<Revision, 'workflow' | 'id'>,
): Promise<void> {
  const { items } = await table.query({ ...keys.postponedDefinitions(namespace.id), limit: 1 });
  const since = putAt(keys.definitionCount(namespace.id), { since: clock.now(), defined: 0 });
  if (items.length === 0) await table.write([since]);
  const attributes = { workflow, revision: id, namespace: namespace.id, path: node.path };
  await table.write([putAt(keys.postponedDefinition(namespace.id, workflow, id), attributes)]);
}

/** The number of machines that are to be defined later, of all namespaces. */
export const countPostponed = ({ table }: Pick<Needs, 'table'>): Promise<number> =>
  countAll(table, keys.POSTPONED_DEFINITIONS);

/** Yields the postponed definitions, in no particular order. */
export async function* allPostponed({ table }: Pick<Needs, 'table'>): AsyncGenerator<Postponed> {
  for await (const items of pagesOf(table, { ...keys.POSTPONED_DEFINITIONS, limit: PAGE_SIZE })) {
    yield* items.map(fromItem);
  }
}

/** Forgets a definition: it was made, or its workflow was deleted. */
export async function complete(
  { table }: Pick<Needs, 'table'>,
  { key, namespace }: Postponed,
  isDefined: boolean,
): Promise<void> {
  await table.write([{ do: 'delete', key }]);
  if (!isDefined) return;
  await table.write([{ do: 'update', key: keys.definitionCount(namespace), add: { defined: 1 } }]);
}

/** Remembers why a definition failed. It stays postponed. */
export async function noteFailure({ table }: Pick<Needs, 'table'>, { key }: Postponed, reason: string): Promise<void> {
  const set = { failure: reason.slice(0, MAX_FAILURE) };
  await ignoreConflict(table.write([{ do: 'update', key, set, when: { present: true } }]));
}

/** The progress of a namespace with the machines that were not defined when their workflows were stored. */
export interface DefinitionProgress {
  /** When the first of them was postponed; absent: none ever was. */
  readonly since?: string;
  /** How many were defined since. */
  readonly defined: number;
  /** How many wait for the quota of definitions. */
  readonly waiting: number;
  /** How many wait in all namespaces: they share the quota. */
  readonly waitingInAll: number;
  /** Those whose last attempt failed. They are attempted again with each pass of the reconciler. */
  readonly failed: readonly { readonly path: string; readonly error: string }[];
}

/** Returns the progress of a namespace with its postponed definitions. */
export async function progressOf({ table }: Pick<Needs, 'table'>, namespaceId: string): Promise<DefinitionProgress> {
  const [count] = await table.get([keys.definitionCount(namespaceId)]);
  const open = (await readAll(table, keys.postponedDefinitions(namespaceId))).map(fromItem);
  const failed = open.flatMap(({ path, failure }) => (failure === undefined ? [] : [{ path, error: failure }]));
  return {
    ...(count === undefined ? {} : { since: toTimestamp(Number(count['since'])) }),
    defined: Number(count?.['defined'] ?? 0),
    waiting: open.length - failed.length,
    waitingInAll: open.length === 0 ? 0 : await countPostponed({ table }),
    failed,
  };
}
