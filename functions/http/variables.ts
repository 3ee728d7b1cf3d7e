import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { deleteVariable, type Holder } from '../../lib/engine/changes/variables.ts';
import { contentOf, listOf, NO_FACTS, put, type Readers } from './variables/replies.ts';

async function ofNamespace(ports: Readers, { namespace: name }: { readonly namespace: string }): Promise<Holder> {
  const namespace = await namespaces.need(ports, name);
  return { namespace, owner: { scope: 'namespace', id: namespace.id }, facts: NO_FACTS };
}

interface OfInstance {
  readonly namespace: string;
  readonly instance: string;
}

async function ofInstance(ports: Readers, path: OfInstance): Promise<Holder> {
  const namespace = await namespaces.need(ports, path.namespace);
  const { id } = await instances.need(ports, path.namespace, path.instance);
  return { namespace, owner: { scope: 'instance', id }, facts: { ...NO_FACTS, instanceId: id } };
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
