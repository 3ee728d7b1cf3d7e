import { PAGING } from '../queries.ts';
import type { Route } from '../route.ts';

const SECRET = '/namespaces/{namespace}/secrets/{secret+}';

export const secrets = {
  listSecrets: {
    family: 'secrets',
    method: 'GET',
    path: '/namespaces/{namespace}/secrets',
    query: [...PAGING],
    reply: 'secrets',
    permission: 'read',
    stream: true,
    from: 'specification',
  },
  createSecret: {
    family: 'secrets',
    method: 'PUT',
    path: SECRET,
    query: ['reference', 'cache'],
    body: 'bytes',
    reply: 'secret',
    permission: 'write',
    from: 'specification',
  },
  deleteSecret: {
    family: 'secrets',
    method: 'DELETE',
    path: SECRET,
    reply: 'empty',
    permission: 'write',
    from: 'specification',
  },
  overwriteSecret: {
    family: 'secrets',
    method: 'PATCH',
    path: SECRET,
    query: ['reference', 'cache'],
    body: 'bytes',
    reply: 'secret',
    permission: 'write',
    from: 'clients',
  },
  listSecretFolder: {
    family: 'secrets',
    method: 'GET',
    path: SECRET,
    query: [...PAGING],
    reply: 'secrets',
    permission: 'read',
    stream: true,
    from: 'clients',
  },
  searchSecrets: {
    family: 'secrets',
    method: 'GET',
    path: '/namespaces/{namespace}/secrets',
    op: 'search',
    query: ['term', ...PAGING],
    reply: 'secrets',
    permission: 'read',
    from: 'clients',
  },
} as const satisfies Record<string, Route>;
