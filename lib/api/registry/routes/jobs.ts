import type { Route } from '../route.ts';

// Below an existing path: each further one takes resources of the stack.
const INSTANCES = '/namespaces/{namespace}/instances';

export const jobs = {
  listJobs: {
    family: 'instances',
    method: 'GET',
    path: INSTANCES,
    op: 'jobs',
    reply: 'jobs',
    permission: 'read',
    from: 'weft',
  },
  createJob: {
    family: 'instances',
    method: 'POST',
    path: INSTANCES,
    op: 'job',
    query: ['filter.field', 'filter.type', 'filter.val'],
    body: 'json',
    input: 'job',
    audited: ['action'],
    reply: 'job',
    permission: 'run',
    from: 'weft',
  },
  stopJob: {
    family: 'instances',
    method: 'POST',
    path: INSTANCES,
    op: 'stop-job',
    query: ['job'],
    reply: 'job',
    permission: 'run',
    from: 'weft',
  },
} as const satisfies Record<string, Route>;
