import type { Route } from '../route.ts';

export const keys = {
  listKeys: {
    family: 'keys',
    method: 'GET',
    path: '/keys',
    reply: 'keys',
    permission: 'admin',
    from: 'weft',
    about: 'Lists the API keys, without their secrets.',
  },
  getOwnKey: {
    family: 'keys',
    method: 'GET',
    path: '/keys/own',
    reply: 'ownKey',
    permission: 'read',
    from: 'weft',
    about: 'Returns what the key of the request may do, and in which namespaces; none named means all.',
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
    about:
      'Creates an API key with a permission, for some or all namespaces, and returns its secret, which is not shown again.',
  },
  deleteKey: {
    family: 'keys',
    method: 'DELETE',
    path: '/keys/{key}',
    reply: 'empty',
    permission: 'admin',
    from: 'weft',
    about: 'Deletes an API key, which becomes invalid at once.',
  },
} as const satisfies Record<string, Route>;
