import { createHash } from 'node:crypto';
import { detectMediaType } from '../../language/media/detection.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Item, Table, Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound } from '../errors.ts';
import { isVariableName, needVariableName } from '../names.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, paginate } from '../storage/pages.ts';
import * as texts from '../storage/texts.ts';

export type Owner = keys.VariableOwner;

export interface Variable {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly created: number;
  readonly updated: number;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

export const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function fromItem(blobs: Blobs, item: Item): Promise<Variable> {
  return {
    name: item.sk,
    bytes: await texts.readBytes(blobs, item['value']),
    mimeType: String(item['mime']),
    created: Number(item['created']),
    updated: Number(item['updated']),
  };
}

/** The variable, or undefined when it was never set. */
export async function find({ table, blobs }: Needs, owner: Owner, name: string): Promise<Variable | undefined> {
  if (!isVariableName(name)) return undefined;
  const [item] = await table.get([keys.variable(owner, name)]);
  return item === undefined ? undefined : fromItem(blobs, item);
}

/** The write that stores a variable; many bytes go to a blob of their own first, named by their content. */
export async function toWrite({ blobs }: { blobs: Blobs }, owner: Owner, variable: Variable): Promise<Write> {
  const { table, pk, sk } = keys.variable(owner, variable.name);
  const checksum = checksumOf(variable.bytes);
  const blob = keys.blobOf(`${owner.scope}s`, owner.id, 'variables', checksum);
  const item = {
    pk,
    sk,
    value: await texts.storeBytes(blobs, blob, variable.bytes),
    mime: variable.mimeType,
    size: variable.bytes.length,
    checksum,
    created: variable.created,
    updated: variable.updated,
  };
  return { do: 'put', table, item };
}

export function toDeletion(owner: Owner, name: string): Write {
  return { do: 'delete', key: keys.variable(owner, name) };
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

/** What is told of a variable without its value. */
export interface Described {
  readonly key: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly checksum: string;
  readonly totalSize: string;
  readonly mimeType: string;
}

const SHOWN = ['mime', 'size', 'checksum', 'created', 'updated'];

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
    checksum: checksumOf(bytes),
    totalSize: String(bytes.length),
    mimeType,
  };
}

/** The variables of an owner, by name. */
export async function list(
  { table }: { readonly table: Table },
  owner: Owner,
  request: ListRequest,
): Promise<List<VariableRecord>> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const pk = keys.variables(owner);
    const more = next === undefined ? {} : { next };
    const page = await table.query({ table: keys.tableOfVariables(owner), pk, only: SHOWN, ...more });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return paginate(items.map(toRecord), request, {
    // One version of the original calls the order by name so by mistake, and clients ask for it.
    orders: { NAME: (row) => row.name, UPDATED: (row) => row.name },
    defaults: [{ field: 'NAME', direction: 'ASC' }],
    filters: { 'NAME/CONTAINS': (row, value) => row.name.includes(value) },
    idOf: (row) => row.name,
  });
}

/** The variable. Throws `not-found`. */
export async function need(needs: Needs, owner: Owner, name: string): Promise<Variable> {
  const variable = isVariableName(name) ? await find(needs, owner, name) : undefined;
  if (variable === undefined) throw notFound('var_ref');
  return variable;
}

/** A variable as `set` would set it; nothing is written. Throws `invalid` for a name that none may have. */
export async function make(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  owner: Owner,
  name: string,
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string | undefined },
): Promise<{ readonly variable: Variable; readonly isNew: boolean }> {
  needVariableName(name);
  const [old] = await table.get([keys.variable(owner, name)]);
  const now = clock.now();
  const known = old === undefined ? detectMediaType(bytes) : String(old['mime']);
  const created = old === undefined ? now : Number(old['created']);
  return { variable: { name, bytes, mimeType: mimeType ?? known, created, updated: now }, isNew: old === undefined };
}

/**
 * Sets a variable to bytes as they came. Its type is the one given, else the one it had, else what the bytes seem to be.
 * Throws `invalid` for a name that none may have.
 */
export async function set(
  needs: Needs & { readonly clock: Clock },
  owner: Owner,
  name: string,
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string | undefined },
): Promise<{ readonly variable: Variable; readonly isNew: boolean }> {
  const made = await make(needs, owner, name, { bytes, mimeType });
  await needs.table.write([await toWrite(needs, owner, made.variable)]);
  return made;
}

/** Deletes a variable and answers how large it was, bytes. Throws `not-found`. */
export async function remove({ table }: { readonly table: Table }, owner: Owner, name: string): Promise<number> {
  const key = keys.variable(owner, name);
  const [item] = isVariableName(name) ? await table.get([key]) : [];
  if (item === undefined) throw notFound('var_ref');
  await table.write([{ do: 'delete', key }]);
  return Number(item['size']);
}
