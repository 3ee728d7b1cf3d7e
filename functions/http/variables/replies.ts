import type { Call } from '../../../lib/api/http/call.ts';
import { type RawReply, stored } from '../../../lib/api/http/reply.ts';
import * as variables from '../../../lib/domain/namespaces/variables.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { type Holder, setVariable } from '../../../lib/engine/changes/variables.ts';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Table } from '../../../lib/ports/table.ts';

export type Readers = { readonly table: Table; readonly blobs: Blobs };

/** The facts of an owner that is neither a workflow nor an instance. */
export const NO_FACTS = { workflowPath: '', instanceId: '' };

/** The names of the owner in a reply. */
const named = ({ namespace, facts: { workflowPath, instanceId } }: Holder) => ({
  namespace: namespace.name,
  ...(workflowPath === '' ? {} : { path: workflowPath }),
  ...(instanceId === '' ? {} : { instance: instanceId }),
});

/** A page of an owner's variables. Throws `refused` for a bad list request. */
export async function listOf(ports: Readers, holder: Holder, query: Call['query']) {
  // Clients expect this status for a bad list request here.
  const request = toListRequest(query, 'refused');
  return { ...named(holder), variables: await variables.list(ports, holder.owner, request) };
}

/** The bytes of a variable, under its type. Throws `not-found`. */
export async function contentOf(ports: Readers, { owner }: Holder, name: string): Promise<RawReply> {
  const { bytes, mimeType } = await variables.need(ports, owner, name);
  return stored(bytes, mimeType);
}

type Content = Pick<Call, 'body' | 'headers'>;

/** Sets a variable to the body of a request, and its type to the request's content type. Throws `invalid`. */
export async function put(
  ports: Parameters<typeof setVariable>[0],
  holder: Holder,
  name: string,
  { body, headers }: Content,
) {
  const content = { bytes: body, mimeType: headers['content-type'] || undefined };
  return { ...named(holder), ...(await setVariable(ports, holder, name, content)) };
}
