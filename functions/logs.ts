import { blobs, clock, mayStream, settings, table, vault } from '../lib/adapters/aws/deployed.ts';
import type { Endpoints } from '../lib/api/call.ts';
import { lambda } from '../lib/api/lambda.ts';
import * as instances from '../lib/domain/instances.ts';
import * as logs from '../lib/domain/logs.ts';
import { toListRequest } from '../lib/domain/pages.ts';

export const endpoints: Endpoints<'logs'> = {
  getInstanceLogs: async (ports, { path, query }) => {
    const request = toListRequest(query);
    const run = await instances.need(ports, path.namespace, path.instance);
    return { ...(await logs.list(ports, run, request)), namespace: path.namespace, instance: run.id };
  },
};

export const handler = lambda<'logs'>(endpoints, { table, blobs, vault, clock, settings }, mayStream);
