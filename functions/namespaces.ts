import { everything, mayStream } from '../lib/adapters/aws/deployed.ts';
import type { Endpoints } from '../lib/api/call.ts';
import { lambda } from '../lib/api/lambda.ts';
import { isOn } from '../lib/api/request.ts';
import * as mirrors from '../lib/domain/mirrors.ts';
import * as namespaces from '../lib/domain/namespaces.ts';
import { toListRequest } from '../lib/domain/pages.ts';
import * as removals from '../lib/domain/removals.ts';

export const endpoints: Endpoints<'namespaces'> = {
  listNamespaces: (ports, { query, caller }) => namespaces.list(ports, toListRequest(query), caller.namespaces),
  createNamespace: async (ports, { path, input }) => {
    mirrors.needNone(input);
    return { namespace: namespaces.toRecord(await namespaces.create(ports, path.namespace)) };
  },
  deleteNamespace: async (ports, { path, query }) => {
    const purge = await namespaces.remove(ports, path.namespace, isOn(query, 'recursive'));
    await removals.finish(ports, purge);
  },
  getConfig: async (ports, { path }) => namespaces.toConfig(await namespaces.need(ports, path.namespace)),
  setConfig: (ports, { path, input }) => namespaces.configure(ports, path.namespace, input),
};

export const handler = lambda<'namespaces'>(endpoints, everything, mayStream);
