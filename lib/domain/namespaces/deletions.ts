import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Write } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { DAY_MS, SECOND_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';

/** How long a deleted workflow can be restored. Its sources are kept longer. */
const RESTORABLE_MS = 30 * DAY_MS;
/** The most entries that one search reads. */
const MAX_SEARCHED = 10_000;
const MAX_PAGE = 100;

/** What is kept of a deleted workflow, besides its sources. */
export interface Kept {
  /** The id of the workflow, whose runs have it. */
  readonly id: string;
  readonly path: string;
  /** The id of the latest revision. */
  readonly latest: string;
  readonly live: boolean;
  readonly logger: string;
  readonly attributes: readonly string[];
}

/** The deletion of a workflow. */
export interface Deletion extends Kept {
  /** Its sort key: the time of the deletion, and the id of the workflow. */
  readonly key: string;
  /** The same for all workflows that were deleted with one directory. */
  readonly group: string;
  /** When it was deleted, milliseconds since 1970. */
  readonly deleted: number;
  /** Until when it can be restored, milliseconds since 1970. */
  readonly expires: number;
}

type Reader = Pick<Ports, 'table' | 'clock'>;

/** The write that keeps a deletion: part of its transaction. */
export function toWrite(namespaceId: string, group: string, now: number, kept: Kept): Write {
  const { id, path, latest, live, logger, attributes } = kept;
  const facts = { workflow: id, path, latest, live, logger, attributes: JSON.stringify(attributes) };
  return putAt(keys.deletion(namespaceId, now, id), { ...facts, group, ttl: toTtl(now + RESTORABLE_MS) });
}

/** The write that forgets a deletion, because the workflow was restored. */
export const toRemoval = (namespaceId: string, { deleted, id }: Deletion): Write => ({
  do: 'delete',
  key: keys.deletion(namespaceId, deleted, id),
});

function fromItem(item: Item): Deletion {
  return {
    key: item.sk,
    id: String(item['workflow']),
    path: String(item['path']),
    latest: String(item['latest']),
    live: item['live'] === true,
    logger: String(item['logger'] ?? ''),
    attributes: parseJson(String(item['attributes'] ?? '[]')) as string[],
    group: String(item['group']),
    deleted: keys.timeOfDeletion(item.sk),
    expires: Number(item['ttl']) * SECOND_MS,
  };
}

/** The deletions of a namespace that can be undone, the newest first, from the key `before` on. */
async function* deletionsOf({ table, clock }: Reader, namespaceId: string, before = ''): AsyncGenerator<Deletion> {
  const range = { ...keys.deletions(namespaceId), descending: true, ...(before === '' ? {} : { to: before }) };
  let read = 0;
  for await (const items of pagesOf(table, range)) {
    for (const item of items) {
      const deletion = fromItem(item);
      // The database removes an expired item some time later.
      if (deletion.key !== before && deletion.expires > clock.now()) yield deletion;
    }
    read += items.length;
    if (read >= MAX_SEARCHED) return;
  }
}

const CURSOR = /^\d{15}#[0-9a-f-]{36}$/;

const isAt = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`);

/** A page of a list: at most `limit` deletions at a path and below it, before the one with the key `cursor`. */
export interface DeletionPage {
  readonly below: string;
  readonly limit: number;
  readonly cursor: string;
}

/** Lists deletions that can be undone, the newest first. Throws `malformed` for a text that is no cursor. */
export async function list(ports: Reader, namespaceId: string, { below, limit, cursor }: DeletionPage) {
  if (cursor !== '' && !CURSOR.test(cursor)) {
    throw new ServiceError('malformed', `cursor is '${cursor.slice(0, 60)}'; send the 'next' of the page before`);
  }
  const most = limit > 0 ? Math.min(limit, MAX_PAGE) : MAX_PAGE;
  const found: Deletion[] = [];
  for await (const deletion of deletionsOf(ports, namespaceId, cursor)) {
    if (isAt(deletion.path, below)) found.push(deletion);
    if (found.length > most) break;
  }
  const shown = found.slice(0, most);
  const deleted = shown.map((one) => ({
    path: one.path,
    revision: one.latest,
    deletedAt: toTimestamp(one.deleted),
    restorableUntil: toTimestamp(one.expires),
  }));
  const last = shown.at(-1);
  return { deleted, ...(found.length > most && last !== undefined ? { next: last.key } : {}) };
}

/** Which deletion at a path: of a group, or else with the latest revision of a workflow, or else the newest one; '' is none. */
export type Chosen = Pick<Deletion, 'group' | 'latest'>;

/**
 * The chosen deletion at a path: of the workflow, or of all workflows that were deleted with it below the directory, ordered by
 * path. Empty if there is none that can be undone.
 */
export async function find(
  ports: Reader,
  namespaceId: string,
  path: string,
  { group, latest }: Chosen,
): Promise<Deletion[]> {
  const found: Deletion[] = [];
  for await (const deletion of deletionsOf(ports, namespaceId)) if (isAt(deletion.path, path)) found.push(deletion);
  const isChosen = (one: Deletion) => (group === '' ? latest === '' || one.latest === latest : one.group === group);
  const chosen = found.find(isChosen);
  if (chosen === undefined || chosen.path === path) return chosen === undefined ? [] : [chosen];
  const together = found.filter((one) => one.group === chosen.group && one.path !== path);
  return together.sort((a, b) => (a.path < b.path ? -1 : 1));
}
