import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { cancel } from '../../lib/engine/calls/cancellation.ts';

export const endpoints: Endpoints<'instances'> = {
  listInstances: async (ports, { path, query }) => ({
    // Clients expect this status for a bad list request here, and another one elsewhere.
    instances: await instances.list(ports, path.namespace, toListRequest(query, 'refused')),
    namespace: path.namespace,
  }),
  getInstance: async (ports, { path }) =>
    instances.toDetail(await instances.need(ports, path.namespace, path.instance)),
  getInstanceInput: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, instances.inputOf(run));
  },
  getInstanceOutput: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, instances.outputBytesOf(run));
  },
  getInstanceMetadata: async (ports, { path }) => {
    const run = await instances.need(ports, path.namespace, path.instance);
    return instances.toData(run, Buffer.from(run.metadata));
  },
  cancelInstance: async (ports, { path }) => cancel(ports, await instances.need(ports, path.namespace, path.instance)),
};
