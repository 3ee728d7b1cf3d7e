import type { Route } from '../route.ts';

export const system = {
  getVersion: {
    family: 'system',
    method: 'GET',
    path: '/version',
    reply: 'version',
    permission: 'read',
    from: 'specification',
    about: 'Returns the version of the server; clients use it to validate their key.',
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
    about: 'Runs a jq query on JSON data.',
  },
  getDescription: {
    family: 'system',
    method: 'GET',
    path: '/openapi.json',
    reply: 'description',
    permission: 'none',
    from: 'weft',
    about: 'Returns the OpenAPI description of this API.',
  },
  getWorkflowSchema: {
    family: 'system',
    method: 'GET',
    path: '/schema/workflow.json',
    reply: 'jsonSchema',
    permission: 'none',
    from: 'weft',
    about: 'Returns the JSON Schema of workflow texts, for editors.',
  },
} as const satisfies Record<string, Route>;
