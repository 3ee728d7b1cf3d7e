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
    about: 'Lists the names of the secrets of a namespace; no route returns their values.',
  },
  createSecret: {
    family: 'secrets',
    method: 'PUT',
    path: SECRET,
    body: 'bytes',
    reply: 'secret',
    permission: 'write',
    from: 'specification',
    about: 'Creates a secret.',
  },
  deleteSecret: {
    family: 'secrets',
    method: 'DELETE',
    path: SECRET,
    reply: 'empty',
    permission: 'write',
    from: 'specification',
    about: 'Deletes a secret, or a folder of secrets if the name ends in a slash.',
  },
  overwriteSecret: {
    family: 'secrets',
    method: 'PATCH',
    path: SECRET,
    body: 'bytes',
    reply: 'secret',
    permission: 'write',
    from: 'clients',
    about: 'Replaces the value of an existing secret.',
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
    about: 'Lists the names of the secrets in a folder.',
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
    about: 'Lists the names of the secrets that contain a text.',
  },
} as const satisfies Record<string, Route>;
