import type { MachineKind } from '../../compiler/emit/emit.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { createSourceText } from '../../language/position.ts';
import { formatProblem, type Problem } from '../../language/problem.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { putAt } from '../storage/batches.ts';
import { orderedId, sha256, spreadId } from '../storage/ids.ts';
import { sharedMachine } from '../storage/keys/machine-keys.ts';
import * as keys from '../storage/keys.ts';
import { readText, storeText } from '../storage/texts.ts';
import { compileText, type ReadingPorts } from './reading.ts';

/** A revision of a workflow. It never changes, except that its machines are defined. */
export interface Revision {
  readonly id: string;
  readonly workflow: string;
  readonly created: number;
  /** SHA-256 of the source, hexadecimal. */
  readonly hash: string;
  readonly source: string;
  /** Undefined when the source does not compile. */
  readonly plan?: Plan;
  /** The handles of its machines in the port of executions; one is absent until its machine is defined. */
  readonly machines: Machines;
}

type Machines = { readonly [kind in MachineKind]?: string };

/** The attributes of an item with the handles of its machines. */
const ATTRIBUTES: Readonly<Record<MachineKind, string>> = { start: 'machine', firstWait: 'waits', anyState: 'resumes' };

export interface RevisionRecord {
  readonly createdAt: string;
  readonly hash: string;
  /** Base64 of the YAML. */
  readonly source: string;
  readonly name: string;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The wire form (rest-api reference, 5.1). */
export function toRecord(revision: Revision): RevisionRecord {
  return {
    createdAt: toTimestamp(revision.created),
    hash: revision.hash,
    source: Buffer.from(revision.source).toString('base64'),
    name: revision.id,
  };
}

/** Compiles a text. Throws `invalid` with the compiler's message; the details of the error list all problems. */
export async function needPlan(ports: ReadingPorts, text: Parameters<typeof compileText>[1]): Promise<Plan> {
  const compiled = await compileText(ports, text);
  if ('problems' in compiled) throw toError(compiled.problems, text.source);
  return compiled.plan;
}

function toError(problems: readonly Problem[], source: string): ServiceError {
  const text = createSourceText(source);
  const details = problems.map((problem) => ({ ...problem, text: formatProblem(problem, text) }));
  return new ServiceError('invalid', problems[0]?.message ?? 'invalid workflow', { problems: details });
}

/** Returns the plan of a revision. Throws `refused` when its source does not compile. */
export function planOf(revision: Revision): Plan {
  if (revision.plan === undefined) throw new ServiceError('refused', `cannot parse revision ${revision.id}`);
  return revision.plan;
}

/** Returns the item of a new revision, which is to be written. A large source or plan is stored as a blob first. */
export async function toItem(
  { blobs, clock }: Pick<Ports, 'blobs' | 'clock'>,
  workflow: string,
  source: string,
  plan: Plan,
): Promise<Item> {
  const id = spreadId(clock.uuid());
  const { pk, sk } = keys.revision(workflow, id);
  return {
    pk,
    sk,
    created: clock.now(),
    hash: sha256(source),
    source: await storeText(blobs, keys.blobOf('workflows', workflow, id, 'source'), source),
    plan: await storeText(blobs, keys.blobOf('workflows', workflow, id, 'plan'), JSON.stringify(plan)),
  };
}

/** The id of the revision of an item. */
export const idIn = ({ sk }: Pick<Item, 'sk'>): string => orderedId(sk);

const cache = new Map<string, Revision>();
const MAX_CACHED = 500;

function remember(revision: Revision): Revision {
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
  cache.set(`${revision.workflow}/${revision.id}`, revision);
  return revision;
}

/** Returns the revision of an item, and caches it. */
export async function fromItem(blobs: Blobs, workflow: string, item: Item): Promise<Revision> {
  const handleOf = (kind: MachineKind): string | undefined => {
    const value = item[ATTRIBUTES[kind]];
    return typeof value === 'string' ? value : undefined;
  };
  const revision = omitUndefined({
    id: idIn(item),
    workflow,
    created: Number(item['created']),
    hash: String(item['hash']),
    source: await readText(blobs, item['source']),
    plan: parseJson(await readText(blobs, item['plan'])) as Plan,
    machines: omitUndefined({
      start: handleOf('start'),
      firstWait: handleOf('firstWait'),
      anyState: handleOf('anyState'),
    }),
  });
  return remember(revision);
}

/** Returns a revision. Throws `not-found`. */
export async function need({ table, blobs }: Needs, workflow: string, id: string): Promise<Revision> {
  return cache.get(`${workflow}/${id}`) ?? needStored({ table, blobs }, workflow, id);
}

/** Returns a revision as it is stored now: another process may have defined a machine. Throws `not-found`. */
export async function needStored({ table, blobs }: Needs, workflow: string, id: string): Promise<Revision> {
  const [item] = await table.get([keys.revision(workflow, id)]);
  if (item === undefined) throw notFound('revision');
  return fromItem(blobs, workflow, item);
}

/** Stores the handle of a machine of the revision. Throws ConflictError when the revision was deleted. */
export async function keepMachine(
  { table }: Pick<Ports, 'table'>,
  revision: Revision,
  kind: MachineKind,
  handle: string,
): Promise<Revision> {
  const key = keys.revision(revision.workflow, revision.id);
  await table.write([{ do: 'update', key, set: { [ATTRIBUTES[kind]]: handle }, when: { present: true } }]);
  return remember({ ...revision, machines: { ...revision.machines, [kind]: handle } });
}

/**
 * The stored handle of a machine that all workflows share; undefined if it was not defined, or has another definition by now.
 * `definition`: a hash of it.
 */
export async function findShared(
  { table }: Pick<Ports, 'table'>,
  name: string,
  definition: string,
): Promise<string | undefined> {
  const [item] = await table.get([sharedMachine(name)]);
  return item?.['definition'] === definition ? String(item['handle']) : undefined;
}

/** Stores the handle of a machine that all workflows share: a process defines it only if no other one has. */
export async function keepShared(
  { table }: Pick<Ports, 'table'>,
  name: string,
  machine: { readonly handle: string; readonly definition: string },
): Promise<void> {
  await table.write([putAt(sharedMachine(name), { ...machine })]);
}
