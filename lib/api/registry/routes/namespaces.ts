import { PAGING } from '../queries.ts';
import type { Route } from '../route.ts';

const NAMESPACE = '/namespaces/{namespace}';

export const namespaces = {
  listNamespaces: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces',
    query: [...PAGING],
    reply: 'namespaces',
    permission: 'read',
    stream: true,
    from: 'specification',
    about: 'Lists the namespaces that the key is valid for.',
  },
  createNamespace: {
    family: 'namespaces',
    method: 'PUT',
    path: NAMESPACE,
    body: 'json',
    input: 'mirror',
    optional: true,
    reply: 'namespace',
    permission: 'admin',
    from: 'specification',
    about: 'Creates an empty namespace.',
  },
  deleteNamespace: {
    family: 'namespaces',
    method: 'DELETE',
    path: NAMESPACE,
    query: ['recursive'],
    reply: 'empty',
    permission: 'admin',
    from: 'specification',
    about: 'Deletes a namespace; one with nodes only if `recursive` is set.',
  },
  getConfig: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces/{namespace}/config',
    reply: 'config',
    permission: 'read',
    from: 'specification',
    about: 'Returns for which operations the namespace sends cloud events, and how far waits look back.',
  },
  setConfig: {
    family: 'namespaces',
    method: 'PATCH',
    path: '/namespaces/{namespace}/config',
    body: 'json',
    input: 'config',
    reply: 'config',
    permission: 'write',
    from: 'specification',
    about:
      'Enables or disables cloud events for the given operations, and sets the look-back; other settings are not changed.',
  },
  getWorkflowsDescription: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces/{namespace}/openapi.json',
    reply: 'description',
    permission: 'read',
    from: 'weft',
    about:
      'Returns an OpenAPI description with a path for each workflow that a request can start, and its schemas of input and output.',
  },
  getUsage: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces/{namespace}/usage',
    reply: 'usage',
    permission: 'read',
    from: 'weft',
    about: 'Returns how much of each of its quotas the namespace uses.',
  },
  listSchedules: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces/{namespace}/schedules',
    reply: 'schedules',
    permission: 'read',
    from: 'weft',
    about: 'Lists the workflows that the clock starts, each with its pattern and its next starts.',
  },
  getDefinitions: {
    family: 'namespaces',
    method: 'GET',
    path: '/namespaces/{namespace}/definitions',
    reply: 'definitions',
    permission: 'read',
    from: 'weft',
    about:
      'Returns how many state machines of the namespace wait for the quota of definitions of AWS, as after an import, how many were defined since, and which failed.',
  },
} as const satisfies Record<string, Route>;
