import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { workflowServices } from '../../../lib/api/registry/routes/workflow-services.ts';
import type { StreamSourcesOf } from '../../../lib/api/streams/sources.ts';
import { watchObjects } from '../../../lib/api/streams/watchers.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as changing from '../../../lib/domain/services/changes.ts';
import * as views from '../../../lib/domain/services/views.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import type { Table } from '../../../lib/ports/table.ts';

type Reader = { readonly table: Table };
type Asked = { readonly path: Call<'listWorkflowServices'>['path']; readonly query: Call['query'] };

const FIRST = '00001';

async function home(ports: Reader, { path }: Pick<Asked, 'path'>) {
  const { namespace, node } = await nodes.needWorkflow(ports, path.namespace, path.node);
  return { kind: 'workflow', namespace, workflow: node } as const;
}

/** The value of a query parameter. Throws `refused` (500, rest-api reference, 11.7) if it is missing. */
function needQuery({ query }: Asked, name: 'svn' | 'version'): string {
  const value = query[name]?.[0] ?? '';
  if (value === '') throw new ServiceError('refused', `${name} is missing in queries`);
  return value;
}

async function chosen(ports: Reader, call: Asked): Promise<views.ServiceAddress> {
  const name = needQuery(call, 'svn');
  return { scope: await home(ports, call), name, version: call.query['version']?.[0] ?? '' };
}

const revisionOf = ({ query }: Asked): string => query['rev']?.[0] || FIRST;

async function getRevision(ports: Parameters<typeof views.revisionsNow>[0], call: Asked) {
  const found = await views.revisionsNow(ports, await chosen(ports, call), revisionOf(call));
  return { event: 'ADDED', ...[...found.values()][0] };
}

export const endpoints: EndpointsOf<keyof typeof workflowServices> = {
  listWorkflowServices: async (ports, call) => views.list(ports, await home(ports, call)),
  listWorkflowServiceRevisions: async (ports, call) => views.revisions(ports, await chosen(ports, call)),
  getWorkflowServiceRevision: getRevision,
  listWorkflowServicePods: async (ports, call) => views.pods(ports, await chosen(ports, call), revisionOf(call)),
  deleteWorkflowService: async (ports, call) => {
    const version = needQuery(call, 'version');
    const name = needQuery(call, 'svn');
    await changing.remove(ports, await home(ports, call), name, version);
  },
};

export const streamSources: StreamSourcesOf<keyof typeof workflowServices> = {
  listWorkflowServices: watchObjects(async (ports, call) => views.servicesNow(ports, await home(ports, call))),
  watchWorkflowService: watchObjects(async (ports, call) => views.serviceNow(ports, await chosen(ports, call))),
  listWorkflowServiceRevisions: watchObjects(async (ports, call) =>
    views.revisionsNow(ports, await chosen(ports, call)),
  ),
  getWorkflowServiceRevision: watchObjects(async (ports, call) =>
    views.revisionsNow(ports, await chosen(ports, call), revisionOf(call)),
  ),
  listWorkflowServicePods: watchObjects(async (ports, call) =>
    views.podsNow(ports, await chosen(ports, call), revisionOf(call)),
  ),
};
