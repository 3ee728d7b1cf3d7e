import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { StreamSourcesOf } from '../../../lib/api/streams/sources.ts';
import { readAfter } from '../../../lib/domain/logs/cursor-reader.ts';
import { list, type Needs, openLog } from '../../../lib/domain/logs/pages.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import { withNames } from '../../../lib/domain/storage/lists.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';

/** The query is checked before anything is read, as in other lists. */
async function open(ports: Needs, { path, query }: Call<'getWorkflowLogs'>) {
  const request = toListRequest(query);
  const { namespace, node } = await nodes.needWorkflow(ports, path.namespace, path.node);
  const log = openLog(ports, { scope: 'workflow', namespace, node }, node.created);
  return { request, log, named: { namespace: namespace.name, path: node.path } };
}

/** Logs of workflows hang on the tree, so the tree's Lambda serves them. */
export const endpoints: EndpointsOf<'getWorkflowLogs'> = {
  getWorkflowLogs: async (ports, call) => {
    const { request, log, named } = await open(ports, call);
    return withNames(await list(ports, log, request), named);
  },
};

export const streamSources: StreamSourcesOf<'getWorkflowLogs'> = {
  getWorkflowLogs: async (ports, call, cursor) => {
    const { request, log, named } = await open(ports, call);
    const reading = await readAfter(ports, log, request, cursor);
    return { reply: withNames(reading.list, named), cursor: reading.cursor };
  },
};
