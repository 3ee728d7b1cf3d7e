import type { Call } from '../../../lib/api/http/call.ts';
import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { IdsOf, IdsServedBy } from '../../../lib/api/registry/routes/index.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import { deleteVariable, type Holder } from '../../../lib/engine/changes/variables.ts';
import { contentOf, listOf, NO_FACTS, put, type Readers } from '../variables/replies.ts';

interface OfWorkflow {
  readonly namespace: string;
  readonly node: string;
}

async function ofWorkflow(ports: Readers, path: OfWorkflow): Promise<Holder> {
  const { namespace, node } = await nodes.needWorkflow(ports, path.namespace, path.node);
  return { namespace, owner: { scope: 'workflow', id: node.id }, facts: { ...NO_FACTS, workflowPath: node.path } };
}

/** The name of the variable is a query parameter, as the path is the workflow's. */
const nameIn = ({ query }: Pick<Call, 'query'>): string => query['var']?.[0] ?? '';

/** Variables of workflows hang on the tree, so the tree's Lambda serves them. */
export const endpoints: EndpointsOf<IdsOf<'variables'> & IdsServedBy<'tree'>> = {
  listWorkflowVariables: async (ports, { path, query }) => listOf(ports, await ofWorkflow(ports, path), query),
  getWorkflowVariable: async (ports, call) => contentOf(ports, await ofWorkflow(ports, call.path), nameIn(call)),
  setWorkflowVariable: async (ports, call) => put(ports, await ofWorkflow(ports, call.path), nameIn(call), call),
  deleteWorkflowVariable: async (ports, call) =>
    deleteVariable(ports, await ofWorkflow(ports, call.path), nameIn(call)),
};
