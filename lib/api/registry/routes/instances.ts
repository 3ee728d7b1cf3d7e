import { PAGING } from '../queries.ts';
import type { Route } from '../route.ts';

const INSTANCE = '/namespaces/{namespace}/instances/{instance}';

export const instances = {
  listInstances: {
    family: 'instances',
    method: 'GET',
    path: '/namespaces/{namespace}/instances',
    query: [...PAGING],
    reply: 'instances',
    permission: 'read',
    stream: true,
    from: 'specification',
    about: 'Lists the runs of a namespace, the newest first.',
  },
  getInstance: {
    family: 'instances',
    method: 'GET',
    path: INSTANCE,
    reply: 'instance',
    permission: 'read',
    stream: true,
    from: 'specification',
    about: 'Returns a run with the states it has entered so far.',
  },
  getInstanceInput: {
    family: 'instances',
    method: 'GET',
    path: '/namespaces/{namespace}/instances/{instance}/input',
    reply: 'instanceData',
    permission: 'read',
    from: 'specification',
    about: 'Returns the input of a run.',
  },
  getInstanceOutput: {
    family: 'instances',
    method: 'GET',
    path: '/namespaces/{namespace}/instances/{instance}/output',
    reply: 'instanceData',
    permission: 'read',
    from: 'specification',
    about: 'Returns the output of a run.',
  },
  getInstanceMetadata: {
    family: 'instances',
    method: 'GET',
    path: '/namespaces/{namespace}/instances/{instance}/metadata',
    reply: 'instanceData',
    permission: 'read',
    from: 'clients',
    about: 'Returns what a run has noted about itself.',
  },
  cancelInstance: {
    family: 'instances',
    method: 'POST',
    path: '/namespaces/{namespace}/instances/{instance}/cancel',
    reply: 'empty',
    permission: 'run',
    from: 'specification',
    about: 'Ends a run; one that has ended stays as it is.',
  },
} as const satisfies Record<string, Route>;
