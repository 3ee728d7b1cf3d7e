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
  },
} as const satisfies Record<string, Route>;
