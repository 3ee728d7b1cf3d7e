import { createHash } from 'node:crypto';
import { compile } from '../../compiler/compile.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { type Problem, problemText } from '../../language/problem.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Item, Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';
import { readText, storeText } from '../storage/texts.ts';

export interface Revision {
  readonly id: string;
  readonly workflow: string;
  readonly created: number;
  /** SHA-256 of the source, hexadecimal. */
  readonly hash: string;
  readonly source: string;
  /** Undefined when the source does not compile. */
  readonly plan?: Plan;
  /** What the executions port answered for its machine; undefined until it is defined. */
  readonly machine?: string;
}

export interface RevisionRecord {
  readonly createdAt: string;
  readonly hash: string;
  /** Base64 of the YAML. */
  readonly source: string;
  readonly name: string;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

export const hashOf = (source: string): string => createHash('sha256').update(source).digest('hex');

export function toRecord(revision: Revision): RevisionRecord {
  return {
    createdAt: toTimestamp(revision.created),
    hash: revision.hash,
    source: Buffer.from(revision.source).toString('base64'),
    name: revision.id,
  };
}

const withText = (problem: Problem, source: string) => ({ ...problem, text: problemText(problem, source) });

/** Every problem of a source, in the order of the compiler; none for a workflow. */
export function problemsOf(source: string): ReturnType<typeof withText>[] {
  const compiled = compile(source);
  return 'problems' in compiled ? compiled.problems.map((problem) => withText(problem, source)) : [];
}

/** Throws `invalid` with the compiler's text when the source is no workflow; the reply lists every problem. */
export function needPlan(source: string): Plan {
  const compiled = compile(source);
  if ('problems' in compiled) throw toError(compiled.problems, source);
  return compiled.plan;
}

function toError(problems: readonly Problem[], source: string): ServiceError {
  const details = problems.map((problem) => withText(problem, source));
  return new ServiceError('invalid', problems[0]?.message ?? 'invalid workflow', { problems: details });
}

/** The plan of a revision. Throws `refused` when its source does not compile. */
export function planOf(revision: Revision): Plan {
  if (revision.plan === undefined) throw new ServiceError('refused', `cannot parse revision ${revision.id}`);
  return revision.plan;
}

/** A new revision of a workflow, as an item to be written. A large source or plan goes to the blobs first. */
export async function toItem(
  { blobs, clock }: { blobs: Blobs; clock: Clock },
  workflow: string,
  source: string,
  plan: Plan,
): Promise<Item> {
  const id = clock.uuid();
  const { pk, sk } = keys.revision(workflow, id);
  return {
    pk,
    sk,
    created: clock.now(),
    hash: hashOf(source),
    source: await storeText(blobs, keys.blobOf('workflows', workflow, id, 'source'), source),
    plan: await storeText(blobs, keys.blobOf('workflows', workflow, id, 'plan'), JSON.stringify(plan)),
  };
}

/** Revisions never change but for their machine's handle, so what was read once is kept. */
const cache = new Map<string, Revision>();
const MOST_CACHED = 500;

function remember(revision: Revision): Revision {
  if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value ?? '');
  cache.set(`${revision.workflow}/${revision.id}`, revision);
  return revision;
}

export async function fromItem(blobs: Blobs, workflow: string, item: Item): Promise<Revision> {
  const machine = item['machine'];
  return remember({
    id: item.sk,
    workflow,
    created: Number(item['created']),
    hash: String(item['hash']),
    source: await readText(blobs, item['source']),
    plan: JSON.parse(await readText(blobs, item['plan'])) as Plan,
    ...(typeof machine === 'string' ? { machine } : {}),
  });
}

/** Throws `not-found` when the workflow has no such revision. */
export async function need({ table, blobs }: Needs, workflow: string, id: string): Promise<Revision> {
  const cached = cache.get(`${workflow}/${id}`);
  if (cached !== undefined) return cached;
  const [item] = await table.get([keys.revision(workflow, id)]);
  if (item === undefined) throw notFound('revision');
  return fromItem(blobs, workflow, item);
}

/** Keeps the handle of the revision's machine. */
export async function keepMachine({ table }: { table: Table }, revision: Revision, machine: string): Promise<Revision> {
  const key = keys.revision(revision.workflow, revision.id);
  await table.write([{ do: 'update', key, set: { machine }, when: { present: true } }]);
  return remember({ ...revision, machine });
}
