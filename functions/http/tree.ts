import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints, EndpointsOf } from '../../lib/api/http/endpoints.ts';
import { isOn } from '../../lib/api/http/request.ts';
import type { tree as routes } from '../../lib/api/registry/routes/tree.ts';
import type { StreamSources } from '../../lib/api/streams/sources.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { note } from '../../lib/domain/logs/change-lines.ts';
import { type ListRequest, toListRequest } from '../../lib/domain/storage/list-requests.ts';
import * as attributes from '../../lib/domain/tree/attributes.ts';
import { openForReading } from '../../lib/domain/tree/history.ts';
import * as mirrors from '../../lib/domain/tree/mirrors.ts';
import * as nodes from '../../lib/domain/tree/nodes.ts';
import type { ReadingPorts } from '../../lib/domain/tree/reading.ts';
import { LATEST } from '../../lib/domain/tree/refs.ts';
import * as revisions from '../../lib/domain/tree/revisions.ts';
import * as tree from '../../lib/domain/tree/tree.ts';
import * as workflows from '../../lib/domain/tree/workflows.ts';
import * as publishing from '../../lib/engine/changes/publishing.ts';
import { showMachines } from '../../lib/engine/machines/definitions.ts';
import type { Blobs } from '../../lib/ports/blobs.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { Table } from '../../lib/ports/table.ts';
import * as deletionEndpoints from './tree/deletions.ts';
import * as execution from './tree/execution.ts';
import { findingsIn, withWarnings } from './tree/findings.ts';
import * as logs from './tree/logs.ts';
import * as metrics from './tree/metrics.ts';
import * as mirrorEndpoints from './tree/mirrors.ts';
import * as revisionEndpoints from './tree/revisions.ts';
import * as variables from './tree/variables.ts';

const named = ({ namespace, node }: nodes.ResolvedNode) => ({
  namespace: namespace.name,
  node: nodes.toRecord(node, 'itself'),
});

const withRevision = (opened: workflows.Opened) => ({
  ...named(opened),
  revision: revisions.toRecord(opened.revision),
});

type Readers = { readonly table: Table; readonly blobs: Blobs };

const shownWorkflow = (opened: workflows.Opened) => ({
  ...withRevision(opened),
  eventLogging: opened.node.logger,
  oid: opened.node.id,
});

/**
 * The revision of a ref. The original finds a revision by its id only if it is saved, tagged or the latest (rest-api
 * reference, 5.6); under other brands every stored revision is found.
 */
async function getByRef(
  ports: Readers & Pick<Ports, 'settings'>,
  { namespace, node }: Call<'getNode'>['path'],
  ref: string,
) {
  const found = ports.settings.brand === 'direktiv' ? undefined : await openForReading(ports, namespace, node, ref);
  if (found !== undefined) return shownWorkflow(found);
  return shownWorkflow(await workflows.openNode(ports, await nodes.needWorkflow(ports, namespace, node), { ref }));
}

/** With a ref only a workflow is found (rest-api reference, 5.2). */
async function getNode(ports: Readers & Pick<Ports, 'settings'>, { path, query }: Call<'getNode'>) {
  const request: ListRequest = toListRequest(query);
  const ref = query['ref']?.[0] ?? '';
  if (ref !== '') return getByRef(ports, path, ref);
  const place = await nodes.need(ports, path.namespace, path.node);
  if (nodes.isWorkflow(place.node)) {
    return shownWorkflow(await workflows.openNode(ports, { ...place, node: place.node }, { ref: LATEST }));
  }
  return { ...named(place), children: await tree.list(ports, place.node, request) };
}

async function getMachine(ports: Readers, { path, query }: Call<'getMachine'>) {
  const choice = { ref: query['ref']?.[0] };
  const { namespace, node, revision } = await workflows.open(ports, path.namespace, path.node, choice);
  return { namespace: namespace.name, path: node.path, revision: revision.id, ...showMachines(revision) };
}

function sourceOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new ServiceError('invalid', 'yaml: the workflow is not UTF-8 text; save it in that encoding');
  }
}

/** The reply to a workflow that was stored: its revision, and warnings about its text. */
const stored = async (ports: Pick<Ports, 'settings'> & ReadingPorts, opened: workflows.Opened, body: Uint8Array) => ({
  ...withRevision(opened),
  ...(await withWarnings(ports, opened.namespace.name, sourceOf(body))),
});

const placeOf = ({ namespace, node }: Call<'createWorkflow'>['path']) => ({ namespace, path: node });

const ownEndpoints: EndpointsOf<keyof typeof routes> = {
  getNode,
  createDirectory: async (ports, { path, input }) => {
    mirrors.needNone(input);
    return named(await publishing.createDirectory(ports, path.namespace, path.node));
  },
  deleteNode: (ports, { path, query }) =>
    publishing.deleteNode(ports, path.namespace, path.node, isOn(query, 'recursive')),
  createWorkflow: async (ports, { path, body }) =>
    stored(ports, await publishing.createWorkflow(ports, { ...placeOf(path), source: sourceOf(body) }), body),
  updateWorkflow: async (ports, { path, body }) =>
    stored(ports, await publishing.updateWorkflow(ports, { ...placeOf(path), source: sourceOf(body) }), body),
  validateWorkflow: async (ports, { path, body }) => ({
    namespace: path.namespace,
    path: `/${path.node}`,
    problems: await findingsIn(ports, path.namespace, sourceOf(body)),
  }),
  toggleWorkflow: (ports, { path, input }) => publishing.toggleWorkflow(ports, path.namespace, path.node, input.live),
  setEventLogging: async (ports, { path, input }) => {
    const place = await nodes.needWorkflow(ports, path.namespace, path.node);
    await workflows.setLogger(ports, place, input.logger);
    await note(ports, 'workflow.logger', place, input.logger);
  },
  renameNode: async (ports, { path, input }) => {
    const place = await tree.rename(ports, path.namespace, path.node, input.new);
    await note(ports, 'node.rename', place, place.node.type, path.node, place.node.path);
    return { namespace: place.namespace.name, node: nodes.toRecord(place.node, 'renamed') };
  },
  createNodeAttributes: (ports, { path, input }) => attributes.change(ports, placeOf(path), 'add', input.attributes),
  deleteNodeAttributes: (ports, { path, input }) => attributes.change(ports, placeOf(path), 'remove', input.attributes),
  getMachine,
};

export const endpoints: Endpoints<'tree'> = {
  ...ownEndpoints,
  ...mirrorEndpoints.endpoints,
  ...deletionEndpoints.endpoints,
  ...revisionEndpoints.endpoints,
  ...execution.endpoints,
  ...variables.endpoints,
  ...metrics.endpoints,
  ...logs.endpoints,
};

export const streamSources: StreamSources<'tree'> = logs.streamSources;
