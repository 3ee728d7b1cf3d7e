import { detectMediaType } from '../../language/media/detection.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isVariableName, MAX_MIME_LENGTH, needVariableName } from '../names.ts';
import { putAt } from '../storage/batches.ts';
import { ignoreConflict, retryOnConflict } from '../storage/conflicts.ts';
import { orderedId, sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import { readAll } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';
import { countingWrites, whenStill } from './stored-variables.ts';
import { variableProblem } from './variable-room.ts';

export type Owner = keys.VariableOwner;

export interface Variable {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly created: number;
  readonly updated: number;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

async function fromItem(blobs: Blobs, item: Item): Promise<Variable> {
  return {
    name: item.sk,
    bytes: await texts.readBytes(blobs, item['value']),
    mimeType: String(item['mime']),
    created: Number(item['created']),
    updated: Number(item['updated']),
  };
}

/** Returns the variable; undefined when it was never set. */
export async function find({ table, blobs }: Needs, owner: Owner, name: string): Promise<Variable | undefined> {
  if (!isVariableName(name)) return undefined;
  const [item] = await table.get([keys.variable(owner, name)]);
  return item === undefined ? undefined : fromItem(blobs, item);
}

/**
 * The write that stores a variable in place of one of `before` bytes, or of none. A large value is stored as a blob first.
 */
export async function toWrite(
  { blobs }: Pick<Ports, 'blobs'>,
  owner: Owner,
  variable: Variable,
  before: number | undefined,
): Promise<Write> {
  const checksum = sha256(variable.bytes);
  const blob = keys.blobOf(
    `${owner.scope}s`,
    orderedId(owner.id),
    'variables',
    keys.writtenAt(checksum, variable.updated),
  );
  const attributes = {
    value: await texts.storeBytes(blobs, blob, variable.bytes),
    mime: variable.mimeType,
    size: variable.bytes.length,
    checksum,
    created: variable.created,
    updated: variable.updated,
  };
  return putAt(keys.variable(owner, variable.name), attributes, whenStill(before));
}

/** The write that deletes a variable of `before` bytes, or one that does not exist. */
export function toDeletion(owner: Owner, name: string, before: number | undefined): Write {
  return { do: 'delete', key: keys.variable(owner, name), when: whenStill(before) };
}

export interface VariableRecord {
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly checksum: string;
  /** A decimal number: clients read it as a 64-bit integer (rest-api reference, 1.2). */
  readonly size: string;
  readonly mimeType: string;
}

/** A variable without its value, in the reply to a change (rest-api reference, 8.3). */
export interface Described {
  readonly key: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly checksum: string;
  readonly totalSize: string;
  readonly mimeType: string;
}

const LISTED_ATTRIBUTES = ['mime', 'size', 'checksum', 'created', 'updated'];

function toRecord(item: Item): VariableRecord {
  return {
    name: item.sk,
    createdAt: toTimestamp(Number(item['created'])),
    updatedAt: toTimestamp(Number(item['updated'])),
    checksum: String(item['checksum']),
    size: String(item['size']),
    mimeType: String(item['mime']),
  };
}

/** The reply to a change of a variable (rest-api reference, 8.3). */
export function describe({ name, bytes, mimeType, created, updated }: Variable): Described {
  return {
    key: name,
    createdAt: toTimestamp(created),
    updatedAt: toTimestamp(updated),
    checksum: sha256(bytes),
    totalSize: String(bytes.length),
    mimeType,
  };
}

/** The variables of an owner, by name. */
export async function list(
  { table }: Pick<Ports, 'table'>,
  owner: Owner,
  request: ListRequest,
): Promise<List<VariableRecord>> {
  const items = await readAll(table, { ...keys.variables(owner), only: LISTED_ATTRIBUTES });
  return paginate(items.map(toRecord), request, {
    // One version of the original names the order by name `UPDATED` by mistake, and clients send that.
    orders: { NAME: (row) => row.name, UPDATED: (row) => row.name },
    defaults: [{ field: 'NAME', direction: 'ASC' }],
    filters: { 'NAME/CONTAINS': (row, value) => row.name.includes(value) },
    idOf: (row) => row.name,
  });
}

/** Returns the variable. Throws `not-found`. */
export async function need(needs: Needs, owner: Owner, name: string): Promise<Variable> {
  const variable = await find(needs, owner, name);
  if (variable === undefined) throw notFound('var_ref');
  return variable;
}

/** A variable to be stored, and the size in bytes of the one that it replaces; undefined: there is none. */
export interface Made {
  readonly variable: Variable;
  readonly replaces: number | undefined;
}

/** Returns a variable as `set` would store it, without storing it. Throws `invalid` for an invalid name or type. */
export async function make(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  owner: Owner,
  name: string,
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string | undefined },
): Promise<Made> {
  needVariableName(name);
  if (mimeType !== undefined && mimeType.length > MAX_MIME_LENGTH) {
    throw new ServiceError('invalid', `the media type of a variable has at most ${MAX_MIME_LENGTH} characters`);
  }
  const [old] = await table.get([keys.variable(owner, name)]);
  const now = clock.now();
  const known = old === undefined ? detectMediaType(bytes) : String(old['mime']);
  const created = old === undefined ? now : Number(old['created']);
  const variable = { name, bytes, mimeType: mimeType ?? known, created, updated: now };
  return { variable, replaces: old === undefined ? undefined : Number(old['size']) };
}

/** The namespace of variables, with the limits that it sets. */
type Home = Parameters<typeof variableProblem>[1];

/**
 * Stores the bytes as the value of a variable. Its type is the given one, else the one it had, else the one detected in
 * the bytes. Throws `invalid` for an invalid name or type, and `over-quota`.
 */
export async function set(
  needs: Needs & Pick<Ports, 'clock' | 'settings'>,
  { namespace, owner }: { readonly namespace: Home; readonly owner: Owner },
  name: string,
  value: { readonly bytes: Uint8Array; readonly mimeType: string | undefined },
): Promise<Made> {
  return retryOnConflict(async () => {
    const made = await make(needs, owner, name, value);
    const change = { owner, name, before: made.replaces, after: value.bytes.length };
    const problem = await variableProblem(needs, namespace, change);
    if (problem !== undefined) throw new ServiceError('over-quota', problem);
    const write = await toWrite(needs, owner, made.variable, made.replaces);
    await needs.table.write([write, ...countingWrites(namespace.id, [change])]);
    return made;
  });
}

/** The size of a stored variable, bytes; undefined when there is none. */
export async function sizeOf({ table }: Pick<Ports, 'table'>, owner: Owner, name: string): Promise<number | undefined> {
  const [item] = isVariableName(name) ? await table.get([keys.variable(owner, name)]) : [];
  return item === undefined ? undefined : Number(item['size']);
}

/** Deletes a variable and returns its size in bytes. Throws `not-found`. */
export async function remove(
  needs: Pick<Ports, 'table' | 'clock' | 'settings'>,
  { namespace, owner }: { readonly namespace: Home; readonly owner: Owner },
  name: string,
): Promise<number> {
  return retryOnConflict(async () => {
    const size = await sizeOf(needs, owner, name);
    if (size === undefined) throw notFound('var_ref');
    const change = { owner, name, before: size, after: undefined };
    await needs.table.write([toDeletion(owner, name, size), ...countingWrites(namespace.id, [change])]);
    await variableProblem(needs, namespace, change);
    return size;
  });
}

/** Deletes all variables of a workflow of a namespace, and counts that. */
export async function removeOfWorkflow(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  workflowId: string,
): Promise<void> {
  const owner = { scope: 'workflow', id: workflowId } as const;
  for (;;) {
    const { items } = await table.query({ ...keys.variables(owner), only: ['size'], limit: BATCH_LIMIT / 2 });
    if (items.length === 0) return;
    const gone = items.map(({ sk: name, size }) => ({ owner, name, before: Number(size), after: undefined }));
    const deletions = gone.map(({ name, before }) => toDeletion(owner, name, before));
    // A variable that another purge deletes at this moment is counted once.
    await ignoreConflict(table.write([...deletions, ...countingWrites(namespaceId, gone)]));
  }
}
