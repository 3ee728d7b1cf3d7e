import type { Route } from '../route.ts';

const NODE = '/namespaces/{namespace}/tree/{node+}';

export const execution = {
  executeWorkflow: {
    family: 'execution',
    method: 'POST',
    path: NODE,
    op: 'execute',
    query: ['ref', 'scheduled', 'label.*'],
    body: 'bytes',
    optional: true,
    reply: 'started',
    permission: 'run',
    from: 'specification',
    about: 'Starts a workflow and returns the id of the run at once.',
  },
  waitWorkflow: {
    family: 'execution',
    method: 'GET',
    path: NODE,
    op: 'wait',
    query: ['ref', 'ctype', 'field', 'raw-output', 'input.*', 'label.*'],
    reply: 'bytes',
    permission: 'run',
    from: 'specification',
    about: 'Starts a workflow with input from the query, waits for its end, and returns its output.',
  },
  waitWorkflowWithBody: {
    family: 'execution',
    method: 'POST',
    path: NODE,
    op: 'wait',
    query: ['ref', 'ctype', 'field', 'raw-output', 'input.*', 'label.*'],
    body: 'bytes',
    optional: true,
    reply: 'bytes',
    permission: 'run',
    from: 'specification',
    about: 'Starts a workflow with the body as its input, waits for its end, and returns its output.',
  },
} as const satisfies Record<string, Route>;
