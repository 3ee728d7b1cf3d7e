import { blobs, clock, executions, mayStream, settings, table, vault } from '../lib/adapters/aws/deployed.ts';
import type { Call, Endpoints } from '../lib/api/call.ts';
import { lambda } from '../lib/api/lambda.ts';
import { isOn } from '../lib/api/request.ts';
import { ServiceError } from '../lib/domain/errors.ts';
import * as mirrors from '../lib/domain/mirrors.ts';
import * as nodes from '../lib/domain/nodes.ts';
import { type ListRequest, toListRequest } from '../lib/domain/pages.ts';
import * as purges from '../lib/domain/purges.ts';
import * as revisions from '../lib/domain/revisions.ts';
import * as tree from '../lib/domain/tree.ts';
import * as workflows from '../lib/domain/workflows.ts';
import type { EnginePorts } from '../lib/engine/draft.ts';
import { ensureMachine, machineOf } from '../lib/engine/machines.ts';
import type { Blobs, Table } from '../lib/ports.ts';
import * as execution from './execution.ts';

const named = ({ namespace, node }: nodes.Place) => ({
  namespace: namespace.name,
  node: nodes.toRecord(node, 'itself'),
});

const withRevision = (opened: workflows.Opened) => ({
  ...named(opened),
  revision: revisions.toRecord(opened.revision),
});

type Readers = { readonly table: Table; readonly blobs: Blobs };

async function getWorkflow(ports: Readers, place: nodes.Place<nodes.WorkflowNode>, ref: string) {
  const opened = await workflows.openNode(ports, place, ref);
  return { ...withRevision(opened), eventLogging: opened.node.logger, oid: opened.node.id };
}

/** A ref asks for a workflow, whatever stands at the path (rest-api reference, 5.2). */
async function getNode(ports: Readers, { path, query }: Call<'getNode'>) {
  const request: ListRequest = toListRequest(query);
  const ref = query['ref']?.[0] ?? '';
  if (ref !== '') return getWorkflow(ports, await nodes.needWorkflow(ports, path.namespace, path.node), ref);
  const place = await nodes.need(ports, path.namespace, path.node);
  if (nodes.isWorkflow(place.node)) return getWorkflow(ports, { ...place, node: place.node }, ref);
  return { ...named(place), children: await tree.list(ports, place.node, request) };
}

/** The machine is defined at once, so that the first run need not wait for it. */
async function store(ports: EnginePorts, opened: workflows.Opened) {
  await ensureMachine(ports, opened.revision);
  return withRevision(opened);
}

async function getMachine(ports: Readers, { path, query }: Call<'getMachine'>) {
  const { namespace, node, revision } = await workflows.open(ports, path.namespace, path.node, query['ref']?.[0]);
  const { tier, definition } = machineOf(node.id, revisions.planOf(revision));
  return {
    namespace: namespace.name,
    path: node.path,
    revision: revision.id,
    tier,
    definition: JSON.parse(definition) as unknown,
    plan: revision.plan,
  };
}

function sourceOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new ServiceError('invalid', 'yaml: the workflow is not UTF-8 text; save it in that encoding');
  }
}

const ownEndpoints: Endpoints<'tree'> = {
  getNode,
  createDirectory: async (ports, { path, input }) => {
    mirrors.needNone(input);
    return named(await tree.createDirectory(ports, path.namespace, path.node));
  },
  deleteNode: async (ports, { path, query }) => {
    const { purge } = await tree.remove(ports, path.namespace, path.node, isOn(query, 'recursive'));
    await purges.finish(ports, purge);
  },
  createWorkflow: async (ports, { path, body }) =>
    store(ports, await workflows.create(ports, path.namespace, path.node, sourceOf(body))),
  updateWorkflow: async (ports, { path, body }) =>
    store(ports, await workflows.update(ports, path.namespace, path.node, sourceOf(body))),
  toggleWorkflow: (ports, { path, input }) => workflows.toggle(ports, path.namespace, path.node, input.live),
  setEventLogging: (ports, { path, input }) => workflows.setLogger(ports, path.namespace, path.node, input.logger),
  renameNode: async (ports, { path, input }) => named(await tree.rename(ports, path.namespace, path.node, input.new)),
  getMachine,
};

export const endpoints: Endpoints<'tree' | 'execution'> = { ...ownEndpoints, ...execution.endpoints };

export const handler = lambda<'tree' | 'execution'>(
  endpoints,
  { table, blobs, vault, executions, clock, settings },
  mayStream,
);
