import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { deletions as routes } from '../../../lib/api/registry/routes/deletions.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { pathOf, segmentsOf } from '../../../lib/domain/names.ts';
import { list } from '../../../lib/domain/namespaces/deletions.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { restoreNode } from '../../../lib/engine/changes/restoring.ts';

/** What was deleted in the tree, and its way back. */
export const endpoints: EndpointsOf<keyof typeof routes> = {
  listDeletions: async (ports, { path, query }) => {
    const limit = Number(query['limit']?.[0] ?? 0);
    if (!Number.isInteger(limit) || limit < 0) throw new ServiceError('malformed', 'limit must be a number');
    const { id, name } = await namespaces.need(ports, path.namespace);
    const page = { below: pathOf(segmentsOf(path.node)), limit, cursor: query['cursor']?.[0] ?? '' };
    return { namespace: name, ...(await list(ports, id, page)) };
  },
  restoreNode: async (ports, { path, query }) => ({
    namespace: path.namespace,
    ...(await restoreNode(ports, path.namespace, {
      place: path.node,
      ref: query['ref']?.[0] ?? '',
      after: query['cursor']?.[0] ?? '',
    })),
  }),
};
