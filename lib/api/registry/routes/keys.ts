import type { Route } from '../route.ts';

export const keys = {
  listKeys: {
    family: 'keys',
    method: 'GET',
    path: '/keys',
    reply: 'keys',
    permission: 'admin',
    from: 'weft',
  },
  getOwnKey: {
    family: 'keys',
    method: 'GET',
    path: '/keys/own',
    reply: 'ownKey',
    permission: 'read',
    from: 'weft',
  },
  createKey: {
    family: 'keys',
    method: 'POST',
    path: '/keys',
    body: 'json',
    input: 'key',
    audited: ['name', 'permission', 'namespaces'],
    reply: 'newKey',
    permission: 'admin',
    from: 'weft',
  },
  deleteKey: {
    family: 'keys',
    method: 'DELETE',
    path: '/keys/{key}',
    reply: 'empty',
    permission: 'admin',
    from: 'weft',
  },
} as const satisfies Record<string, Route>;
