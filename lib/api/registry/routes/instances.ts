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
    about: 'Returns a run with the states that it has entered.',
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
    about: 'Returns the metadata that a run has set.',
  },
  cancelInstance: {
    family: 'instances',
    method: 'POST',
    path: '/namespaces/{namespace}/instances/{instance}/cancel',
    reply: 'empty',
    permission: 'run',
    from: 'specification',
    about: 'Cancels a run; a run that has ended is not changed.',
  },
} as const satisfies Record<string, Route>;
