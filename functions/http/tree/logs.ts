import type { Call, Endpoints } from '../../../lib/api/http/call.ts';
import type { Tails } from '../../../lib/api/streams/tails.ts';
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

/** The logs of workflows, under paths of the tree: served by the Lambda of the tree. */
export const endpoints: Endpoints<'logs'> = {
  getWorkflowLogs: async (ports, call) => {
    const { request, log, named } = await open(ports, call);
    return withNames(await list(ports, log, request), named);
  },
};

export const tails: Tails<'logs'> = {
  getWorkflowLogs: async (ports, call, mark) => {
    const { request, log, named } = await open(ports, call);
    const reading = await readAfter(ports, log, request, mark);
    return { reply: withNames(reading.list, named), mark: reading.cursor };
  },
};
