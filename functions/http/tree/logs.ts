import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { StreamSourcesOf } from '../../../lib/api/streams/sources.ts';
import { list, type Needs, openLog } from '../../../lib/domain/logs/pages.ts';
import { readOn } from '../../../lib/domain/logs/tails.ts';
import { toListRequest, withNames } from '../../../lib/domain/storage/pages.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';

/** What is wrong with the query is said first, as by other lists. */
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
  getWorkflowLogs: async (ports, call, mark) => {
    const { request, log, named } = await open(ports, call);
    const reading = await readOn(ports, log, request, mark);
    return { reply: withNames(reading.list, named), cursor: reading.mark };
  },
};
