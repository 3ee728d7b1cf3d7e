import { createHash } from 'node:crypto';
import type { Blobs, Item, Table, Write } from '../ports.ts';
import * as keys from './keys.ts';
import * as texts from './texts.ts';

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
