import { at, bytesAt, textAt, textsAt } from '../client/replies.ts';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import { type Remote, treePathOf } from '../transfer/remote.ts';
import { shownPath } from './listing.ts';

/** A revision of a workflow. */
export interface PastRevision {
  readonly revision: string;
  readonly createdAt: string;
  readonly hash: string;
  readonly isLatest: boolean;
  readonly tags: readonly string[];
}

const PAGE = 100;

function toRevision(row: unknown): PastRevision {
  const [revision = '', createdAt = '', hash = ''] = ['revision', 'createdAt', 'hash'].map((name) => textAt(row, name));
  return { revision, createdAt, hash, isLatest: at(row, 'latest') === true, tags: textsAt(row, 'tags') };
}

/** Yields the revisions of a workflow, the newest first. Throws CommandFailedError, ServiceUnreachableError. */
export async function* revisionsOf(remote: Remote, path: string): AsyncGenerator<PastRevision> {
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ op: 'history', limit: String(PAGE), ...(cursor === '' ? {} : { cursor }) });
    const reply = await remote.service.call('GET', `${treePathOf(remote, path)}?${query}`);
    const rows = at(reply, 'revisions');
    for (const row of Array.isArray(rows) ? (rows as unknown[]) : []) yield toRevision(row);
    cursor = textAt(reply, 'next');
    if (cursor === '') return;
  }
}

/** The newest revision whose text is not that of the latest one. Throws CommandFailedError without any. */
export async function revisionBefore(remote: Remote, path: string): Promise<PastRevision> {
  let latest: PastRevision | undefined;
  const newer: PastRevision[] = [];
  for await (const one of revisionsOf(remote, path)) {
    if (latest !== undefined && one.hash !== latest.hash) return one;
    if (one.isLatest) latest = one;
    // After `discard-workflow` the latest revision is not the newest one.
    else if (latest === undefined) newer.push(one);
  }
  throw new CommandFailedError(
    newer.length > 0
      ? `'${shownPath(path)}' has no older revision, but ${newer.length} newer; name one of them`
      : `'${shownPath(path)}' has no other revision`,
  );
}

/** A source with the id of its revision. */
export interface Source {
  readonly revision: string;
  readonly text: string;
}

/** The source of a revision, tag or `latest`. Throws CommandFailedError, ServiceUnreachableError. */
export async function sourceOf(remote: Remote, path: string, ref: string): Promise<Source> {
  const reply = await remote.service.call('GET', `${treePathOf(remote, path)}?ref=${encodeURIComponent(ref)}`);
  return { revision: textAt(reply, 'revision', 'name'), text: bytesAt(reply, 'revision', 'source').toString('utf8') };
}

/** Throws UsageError for the name that the latest revision has by itself. */
export function needTag(tag: string): void {
  if (tag === 'latest') throw new UsageError("'latest' always names the latest revision; choose another tag");
}

/** Makes a tag name a revision; a tag that exists is moved. Throws CommandFailedError, ServiceUnreachableError. */
export async function setTag(remote: Remote, path: string, ref: string, tag: string): Promise<void> {
  const post = (op: string) =>
    remote.service.call('POST', `${treePathOf(remote, path)}?${new URLSearchParams({ op, ref, tag })}`);
  await post('tag').catch(async (error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== 409) throw error;
    await post('retag');
  });
}
