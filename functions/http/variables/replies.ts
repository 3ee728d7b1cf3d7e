import type { Call } from '../../../lib/api/http/call.ts';
import { type RawReply, stored } from '../../../lib/api/http/reply.ts';
import * as variables from '../../../lib/domain/namespaces/variables.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { type Holder, setVariable } from '../../../lib/engine/changes/variables.ts';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Table } from '../../../lib/ports/table.ts';

export type Readers = { readonly table: Table; readonly blobs: Blobs };

export const NOBODY = { workflowPath: '', instanceId: '' };

/** What a reply names besides the namespace. */
const named = ({ namespace, facts: { workflowPath, instanceId } }: Holder) => ({
  namespace: namespace.name,
  ...(workflowPath === '' ? {} : { path: workflowPath }),
  ...(instanceId === '' ? {} : { instance: instanceId }),
});

export async function listOf(ports: Readers, holder: Holder, query: Call['query']) {
  // Clients know a bad list request by this status here.
  const request = toListRequest(query, 'refused');
  return { ...named(holder), variables: await variables.list(ports, holder.owner, request) };
}

export async function contentOf(ports: Readers, { owner }: Holder, name: string): Promise<RawReply> {
  const { bytes, mimeType } = await variables.need(ports, owner, name);
  return stored(bytes, mimeType);
}

type Content = Pick<Call, 'body' | 'headers'>;

export async function put(
  ports: Parameters<typeof setVariable>[0],
  holder: Holder,
  name: string,
  { body, headers }: Content,
) {
  const content = { bytes: body, mimeType: headers['content-type'] || undefined };
  return { ...named(holder), ...(await setVariable(ports, holder, name, content)) };
}
