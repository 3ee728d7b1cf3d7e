import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { revisions as routes } from '../../../lib/api/registry/routes/revisions.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { note } from '../../../lib/domain/logs/change-lines.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { listHistory } from '../../../lib/domain/tree/history.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import * as refs from '../../../lib/domain/tree/refs.ts';
import * as revisions from '../../../lib/domain/tree/revisions.ts';
import * as routers from '../../../lib/domain/tree/routes.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { discardLatest, divideStarts } from '../../../lib/engine/changes/publishing.ts';
import type { Blobs } from '../../../lib/ports/blobs.ts';
import type { Table } from '../../../lib/ports/table.ts';

type Path = Call<'listRefs'>['path'];
type Query = Call['query'];
type Readers = { readonly table: Table; readonly blobs: Blobs };

const find = (ports: { readonly table: Table }, { namespace, node }: Path) =>
  nodes.needWorkflow(ports, namespace, node);

const named = ({ namespace, node }: nodes.ResolvedNode) => ({
  namespace: namespace.name,
  node: nodes.toRecord(node, 'itself'),
});

const withRevision = (opened: workflows.Opened) => ({
  ...named(opened),
  revision: revisions.toRecord(opened.revision),
});

const withRoutes = (place: nodes.ResolvedNode<nodes.WorkflowNode>) => ({
  ...named(place),
  live: place.node.live,
  routes: place.node.routes,
});

type Listed = Parameters<typeof refs.list>[2];

/** The query is checked before anything is read, as in other lists. */
async function list(ports: Readers, { path, query }: { path: Path; query: Query }, kind: Listed) {
  const request = toListRequest(query);
  const place = await find(ports, path);
  return { ...named(place), ...(await refs.list(ports, place.node, kind, request)) };
}

const refIn = (query: Query): string => query['ref']?.[0] ?? '';

/** The tag of the query or of the body (rest-api reference, A.3). Throws `refused` if both have one, or neither. */
function tagIn({ query, input }: Pick<Call<'tagRevision'>, 'query' | 'input'>): string {
  const inQuery = query['tag']?.[0] ?? '';
  if (inQuery !== '' && input.tag !== '') throw new ServiceError('refused', 'tag exists in both query and body');
  if (inQuery === '' && input.tag === '') throw new ServiceError('refused', 'tag is missing from query and body');
  return inQuery || input.tag;
}

async function routerValidation(ports: Readers, path: Path) {
  const { namespace, node } = await find(ports, path);
  const reason = (await routers.problemOf(ports, node, node.routes)) ?? '';
  return { namespace: namespace.name, path: node.path, invalid: reason !== '', reason };
}

async function refValidation(ports: Readers, path: Path, ref: string) {
  const { namespace, node, revision } = await workflows.open(ports, path.namespace, path.node, { ref });
  const compiles = revision.plan !== undefined;
  const reason = compiles ? '' : `cannot parse revision ${revision.id}`;
  return { namespace: namespace.name, path: node.path, ref, invalid: !compiles, reason, compiles };
}

export const endpoints: EndpointsOf<keyof typeof routes> = {
  listRefs: (ports, call) => list(ports, call, 'refs'),
  listRevisions: (ports, call) => list(ports, call, 'revisions'),
  listTags: (ports, call) => list(ports, call, 'tags'),
  listHistory: async (ports, { path, query }) => {
    const limit = Number(query['limit']?.[0] ?? 0);
    const cursor = query['cursor']?.[0] ?? '';
    if (!Number.isInteger(limit) || limit < 0) throw new ServiceError('malformed', 'limit must be a number');
    if (cursor !== '' && !refs.isRevisionId(cursor)) {
      throw new ServiceError('malformed', "cursor must be the 'next' of the page before");
    }
    const place = await find(ports, path);
    return { ...named(place), ...(await listHistory(ports, place.node, { limit, cursor })) };
  },
  saveWorkflow: async (ports, { path }) => {
    const opened = await workflows.open(ports, path.namespace, path.node, { ref: refs.LATEST });
    const isNew = await refs.save(ports, opened.node);
    if (isNew) await note(ports, 'revision.save', opened, opened.revision.id);
    return withRevision(opened);
  },
  discardWorkflow: async (ports, { path }) => withRevision(await discardLatest(ports, path.namespace, path.node)),
  deleteRevision: async (ports, { path, query }) => {
    const place = await find(ports, path);
    await refs.deleteRevision(ports, place.node, refIn(query));
    await note(ports, 'revision.delete', place, refIn(query));
  },
  tagRevision: async (ports, call) => {
    const name = tagIn(call);
    const place = await find(ports, call.path);
    const revision = await refs.tag(ports, place.node, refIn(call.query), name);
    await note(ports, 'revision.tag', place, name, revision);
  },
  untagRevision: async (ports, { path, query }) => {
    const place = await find(ports, path);
    await refs.untag(ports, place.node, refIn(query));
    await note(ports, 'revision.untag', place, refIn(query));
  },
  retagRevision: async (ports, call) => {
    const name = tagIn(call);
    const place = await find(ports, call.path);
    await note(ports, 'revision.tag', place, name, await routers.retag(ports, place.node, name, refIn(call.query)));
  },
  getRouter: async (ports, { path }) => withRoutes(await find(ports, path)),
  editRouter: async (ports, { path, input }) => {
    const division = { live: input.live, routes: input.route };
    return withRoutes(await divideStarts(ports, await find(ports, path), division));
  },
  validateRouter: (ports, { path }) => routerValidation(ports, path),
  validateRef: (ports, { path, query }) => refValidation(ports, path, refIn(query) || refs.LATEST),
};
