import {
  changes,
  clock,
  containers,
  mayStream,
  meter,
  sealer,
  settings,
  table,
  vault,
} from '../../lib/adapters/aws/deployed.ts';
import type { Call, Endpoints } from '../../lib/api/http/call.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { type Follower, following, RECHECK_MS } from '../../lib/api/streams/followers.ts';
import type { Tails } from '../../lib/api/streams/tails.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import * as changing from '../../lib/domain/services/changes.ts';
import * as podLogs from '../../lib/domain/services/pod-logs.ts';
import { GLOBAL } from '../../lib/domain/services/services.ts';
import * as views from '../../lib/domain/services/views.ts';
import type { Table } from '../../lib/ports/table.ts';
import * as ofWorkflows from './services/workflow-services.ts';

async function home(ports: { readonly table: Table }, { namespace }: { readonly namespace: string }) {
  return { kind: 'namespace', namespace: await namespaces.need(ports, namespace) } as const;
}

const ofGlobal = ({ path }: { readonly path: { readonly service: string } }) => ({
  scope: GLOBAL,
  name: path.service,
});

async function ofNamespace(
  ports: { readonly table: Table },
  { path }: { readonly path: { readonly namespace: string; readonly service: string } },
) {
  return { scope: await home(ports, path), name: path.service };
}

const globalEndpoints: Endpoints<'services'> = {
  listGlobalServices: (ports) => views.list(ports, GLOBAL),
  createGlobalService: (ports, { input }) => changing.create(ports, GLOBAL, input.name, input),
  getGlobalService: (ports, call) => views.details(ports, ofGlobal(call)),
  deleteGlobalService: (ports, { path }) => changing.remove(ports, GLOBAL, path.service),
  createGlobalServiceRevision: (ports, { path, input }) => changing.addRevision(ports, GLOBAL, path.service, input),
  setGlobalServiceTraffic: (ports, { path, input }) =>
    changing.divideTraffic(ports, GLOBAL, path.service, input.values),
  deleteGlobalServiceRevision: (ports, { path }) => changing.removeRevision(ports, GLOBAL, path.service, path.revision),
  listGlobalServicePods: (ports, call) => views.pods(ports, ofGlobal(call), call.path.revision),
};

const namespaceEndpoints: Endpoints<'services'> = {
  listNamespaceServices: async (ports, { path }) => views.list(ports, await home(ports, path)),
  createNamespaceService: async (ports, { path, input }) =>
    changing.create(ports, await home(ports, path), input.name, input),
  getNamespaceService: async (ports, call) => views.details(ports, await ofNamespace(ports, call)),
  deleteNamespaceService: async (ports, { path }) => changing.remove(ports, await home(ports, path), path.service),
  createNamespaceServiceRevision: async (ports, { path, input }) =>
    changing.addRevision(ports, await home(ports, path), path.service, input),
  setNamespaceServiceTraffic: async (ports, { path, input }) =>
    changing.divideTraffic(ports, await home(ports, path), path.service, input.values),
  deleteNamespaceServiceRevision: async (ports, { path }) =>
    changing.removeRevision(ports, await home(ports, path), path.service, path.revision),
  listNamespaceServicePods: async (ports, call) =>
    views.pods(ports, await ofNamespace(ports, call), call.path.revision),
};

function followPodLog(): ReturnType<Follower<'watchPodLogs'>['follow']> {
  let from: number | undefined;
  return async (ports, { path, caller }: Call<'watchPodLogs'>) => {
    if (from === undefined) await podLogs.needVisible(ports, caller.namespaces, path.pod);
    const { parts, end } = await podLogs.readOn(ports, path.pod, from ?? 0);
    from = end;
    return parts.map((data) => ({ data }));
  };
}

const globalTails: Tails<'services'> = {
  listGlobalServices: following((ports) => views.servicesNow(ports, GLOBAL)),
  getGlobalService: following((ports, call) => views.serviceNow(ports, ofGlobal(call))),
  watchGlobalServiceRevisions: following((ports, call) => views.revisionsNow(ports, ofGlobal(call))),
  watchGlobalServiceRevision: following((ports, call) => views.revisionsNow(ports, ofGlobal(call), call.path.revision)),
  listGlobalServicePods: following((ports, call) => views.podsNow(ports, ofGlobal(call), call.path.revision)),
  watchPodLogs: { follow: followPodLog, recheck: RECHECK_MS },
};

const namespaceTails: Tails<'services'> = {
  listNamespaceServices: following(async (ports, { path }) => views.servicesNow(ports, await home(ports, path))),
  getNamespaceService: following(async (ports, call) => views.serviceNow(ports, await ofNamespace(ports, call))),
  watchNamespaceServiceRevisions: following(async (ports, call) =>
    views.revisionsNow(ports, await ofNamespace(ports, call)),
  ),
  watchNamespaceServiceRevision: following(async (ports, call) =>
    views.revisionsNow(ports, await ofNamespace(ports, call), call.path.revision),
  ),
  listNamespaceServicePods: following(async (ports, call) =>
    views.podsNow(ports, await ofNamespace(ports, call), call.path.revision),
  ),
};

export const endpoints: Endpoints<'services'> = {
  ...globalEndpoints,
  ...namespaceEndpoints,
  ...ofWorkflows.endpoints,
};

export const tails: Tails<'services'> = { ...globalTails, ...namespaceTails, ...ofWorkflows.tails };

export const handler = lambda<'services'>(
  endpoints,
  { table, vault, sealer, containers, changes, clock, settings, meter },
  mayStream,
  tails,
);
