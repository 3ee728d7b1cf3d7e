import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as apiKeys from '../../lib/domain/credentials/api-keys.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';

export const endpoints: Endpoints<'keys'> = {
  listKeys: async (ports) => ({ keys: await apiKeys.list(ports) }),
  getOwnKey: (_ports, { caller: { permission, namespaces, grants } }) =>
    omitUndefined({
      ...{ permission, namespaces },
      grants: grants?.map((grant) => ({ permission: grant.permission, namespaces: grant.namespaces ?? [] })),
    }),
  createKey: (ports, { input }) => apiKeys.create(ports, input),
  deleteKey: (ports, { path }) => apiKeys.remove(ports, path.key),
};
