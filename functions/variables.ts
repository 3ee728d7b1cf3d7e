import { everything, mayStream } from '../lib/adapters/aws/deployed.ts';
import type { Call, Endpoints } from '../lib/api/call.ts';
import { lambda } from '../lib/api/lambda.ts';
import { type RawReply, stored } from '../lib/api/reply.ts';
import * as instances from '../lib/domain/instances.ts';
import * as namespaces from '../lib/domain/namespaces.ts';
import { toListRequest } from '../lib/domain/pages.ts';
import * as variables from '../lib/domain/variables.ts';
import { deleteVariable, type Holder, setVariable } from '../lib/engine/variable-changes.ts';
import type { Blobs, Table } from '../lib/ports.ts';

export type Readers = { readonly table: Table; readonly blobs: Blobs };

export const NOBODY = { workflowPath: '', instanceId: '' };

async function ofNamespace(ports: Readers, { namespace: name }: { readonly namespace: string }): Promise<Holder> {
  const namespace = await namespaces.need(ports, name);
  return { namespace, owner: { scope: 'namespace', id: namespace.id }, facts: NOBODY };
}

interface OfInstance {
  readonly namespace: string;
  readonly instance: string;
}

async function ofInstance(ports: Readers, path: OfInstance): Promise<Holder> {
  const namespace = await namespaces.need(ports, path.namespace);
  const { id } = await instances.need(ports, path.namespace, path.instance);
  return { namespace, owner: { scope: 'instance', id }, facts: { ...NOBODY, instanceId: id } };
}

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

export const endpoints: Endpoints<'variables'> = {
  listNamespaceVariables: async (ports, { path, query }) => listOf(ports, await ofNamespace(ports, path), query),
  getNamespaceVariable: async (ports, { path }) => contentOf(ports, await ofNamespace(ports, path), path.variable),
  setNamespaceVariable: async (ports, call) =>
    put(ports, await ofNamespace(ports, call.path), call.path.variable, call),
  deleteNamespaceVariable: async (ports, { path }) =>
    deleteVariable(ports, await ofNamespace(ports, path), path.variable),

  listInstanceVariables: async (ports, { path, query }) => listOf(ports, await ofInstance(ports, path), query),
  getInstanceVariable: async (ports, { path }) => contentOf(ports, await ofInstance(ports, path), path.variable),
  setInstanceVariable: async (ports, call) => put(ports, await ofInstance(ports, call.path), call.path.variable, call),
  deleteInstanceVariable: async (ports, { path }) =>
    deleteVariable(ports, await ofInstance(ports, path), path.variable),
};

export const handler = lambda<'variables'>(endpoints, everything, mayStream);
