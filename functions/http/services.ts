import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints, EndpointsOf } from '../../lib/api/http/endpoints.ts';
import type { globalServices } from '../../lib/api/registry/routes/global-services.ts';
import type { namespaceServices } from '../../lib/api/registry/routes/namespace-services.ts';
import type { StreamSources, StreamSourcesOf } from '../../lib/api/streams/sources.ts';
import { WATCH_INTERVAL_MS, type Watcher, watchObjects } from '../../lib/api/streams/watchers.ts';
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

const globalEndpoints: EndpointsOf<keyof typeof globalServices> = {
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

const namespaceEndpoints: EndpointsOf<keyof typeof namespaceServices> = {
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

function followPodLog(): ReturnType<Watcher<'watchPodLogs'>['begin']> {
  let from: number | undefined;
  return async (ports, { path, caller }: Call<'watchPodLogs'>) => {
    if (from === undefined) await podLogs.needVisible(ports, caller, path.pod);
    const { parts, end } = await podLogs.readOn(ports, path.pod, from ?? 0);
    from = end;
    return parts.map((data) => ({ data }));
  };
}

const globalSources: StreamSourcesOf<keyof typeof globalServices> = {
  listGlobalServices: watchObjects((ports) => views.servicesNow(ports, GLOBAL)),
  getGlobalService: watchObjects((ports, call) => views.serviceNow(ports, ofGlobal(call))),
  watchGlobalServiceRevisions: watchObjects((ports, call) => views.revisionsNow(ports, ofGlobal(call))),
  watchGlobalServiceRevision: watchObjects((ports, call) =>
    views.revisionsNow(ports, ofGlobal(call), call.path.revision),
  ),
  listGlobalServicePods: watchObjects((ports, call) => views.podsNow(ports, ofGlobal(call), call.path.revision)),
  watchPodLogs: { begin: followPodLog, pollInterval: WATCH_INTERVAL_MS },
};

const namespaceSources: StreamSourcesOf<keyof typeof namespaceServices> = {
  listNamespaceServices: watchObjects(async (ports, { path }) => views.servicesNow(ports, await home(ports, path))),
  getNamespaceService: watchObjects(async (ports, call) => views.serviceNow(ports, await ofNamespace(ports, call))),
  watchNamespaceServiceRevisions: watchObjects(async (ports, call) =>
    views.revisionsNow(ports, await ofNamespace(ports, call)),
  ),
  watchNamespaceServiceRevision: watchObjects(async (ports, call) =>
    views.revisionsNow(ports, await ofNamespace(ports, call), call.path.revision),
  ),
  listNamespaceServicePods: watchObjects(async (ports, call) =>
    views.podsNow(ports, await ofNamespace(ports, call), call.path.revision),
  ),
};

export const endpoints: Endpoints<'services'> = {
  ...globalEndpoints,
  ...namespaceEndpoints,
  ...ofWorkflows.endpoints,
};

export const streamSources: StreamSources<'services'> = {
  ...globalSources,
  ...namespaceSources,
  ...ofWorkflows.streamSources,
};
