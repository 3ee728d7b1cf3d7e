import type { Route } from '../route.ts';

const NODE = '/namespaces/{namespace}/tree/{node+}';

export const deletions = {
  listDeletions: {
    family: 'tree',
    method: 'GET',
    path: NODE,
    op: 'deletions',
    query: ['limit', 'cursor'],
    reply: 'deletions',
    permission: 'read',
    from: 'weft',
  },
  restoreNode: {
    family: 'tree',
    method: 'POST',
    path: NODE,
    op: 'restore',
    query: ['cursor', 'ref'],
    reply: 'restoration',
    permission: 'write',
    from: 'weft',
  },
} as const satisfies Record<string, Route>;
