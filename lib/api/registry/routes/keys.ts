import type { Route } from '../route.ts';

export const keys = {
  listKeys: {
    family: 'keys',
    method: 'GET',
    path: '/keys',
    reply: 'keys',
    permission: 'admin',
    from: 'weft',
    about: 'Lists the keys of this interface, without the keys themselves.',
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
    reply: 'newKey',
    permission: 'admin',
    from: 'weft',
    about: 'Creates a key with a permission, for some namespaces or for all, and shows it this once.',
  },
  deleteKey: {
    family: 'keys',
    method: 'DELETE',
    path: '/keys/{key}',
    reply: 'empty',
    permission: 'admin',
    from: 'weft',
    about: 'Deletes a key, which is of no use from then on.',
  },
} as const satisfies Record<string, Route>;
