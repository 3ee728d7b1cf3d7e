import type { Route } from '../route.ts';

export const system = {
  getVersion: {
    family: 'system',
    method: 'GET',
    path: '/version',
    reply: 'version',
    permission: 'read',
    from: 'specification',
  },
  runJq: {
    family: 'system',
    method: 'POST',
    path: '/jq',
    body: 'json',
    input: 'jq',
    reply: 'jqResults',
    permission: 'read',
    from: 'specification',
  },
  getDescription: {
    family: 'system',
    method: 'GET',
    path: '/openapi.json',
    reply: 'description',
    permission: 'none',
    from: 'weft',
  },
  getWorkflowSchema: {
    family: 'system',
    method: 'GET',
    path: '/schema/workflow.json',
    reply: 'jsonSchema',
    permission: 'none',
    from: 'weft',
  },
} as const satisfies Record<string, Route>;
