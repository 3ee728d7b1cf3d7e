import { PAGING } from '../queries.ts';
import type { Route } from '../route.ts';

const NODE = '/namespaces/{namespace}/tree/{node+}';

export const mirrors = {
  getMirror: {
    family: 'tree',
    method: 'GET',
    path: NODE,
    op: 'mirror-info',
    query: [...PAGING],
    reply: 'mirror',
    permission: 'read',
    stream: true,
    from: 'clients',
  },
  updateMirror: {
    family: 'tree',
    method: 'POST',
    path: NODE,
    op: 'update-mirror',
    body: 'json',
    input: 'mirror',
    reply: 'empty',
    permission: 'write',
    from: 'clients',
  },
  lockMirror: {
    family: 'tree',
    method: 'POST',
    path: NODE,
    op: 'lock-mirror',
    reply: 'empty',
    permission: 'write',
    from: 'clients',
  },
  unlockMirror: {
    family: 'tree',
    method: 'POST',
    path: NODE,
    op: 'unlock-mirror',
    reply: 'empty',
    permission: 'write',
    from: 'clients',
  },
  syncMirror: {
    family: 'tree',
    method: 'POST',
    path: NODE,
    op: 'sync-mirror',
    query: ['force'],
    reply: 'empty',
    permission: 'write',
    from: 'clients',
  },
} as const satisfies Record<string, Route>;
