import type {
  ServiceInput,
  ServiceRecord,
  ServiceReply,
  ServiceRevisionInput,
  TrafficInput,
} from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { may } from '../api/session.ts';
import { follow, type StreamHandlers } from '../api/streams.ts';

/** The owner of services: all namespaces, one, or a workflow. */
export type ServiceSource =
  | { readonly scope: 'global' }
  | { readonly scope: 'namespace'; readonly namespace: string }
  | { readonly scope: 'workflow'; readonly namespace: string; readonly node: string };

/** A change of one service, as an event of a stream. */
interface Change {
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly function: ServiceRecord;
}

type Handlers = StreamHandlers<Change>;

/** Streams the services of a source. Returns the function that closes the stream. */
export function followServices(source: ServiceSource, handlers: Handlers): () => void {
  if (source.scope === 'global') return follow('listGlobalServices', {}, {}, handlers);
  const { namespace } = source;
  if (source.scope === 'namespace') return follow('listNamespaceServices', { namespace }, {}, handlers);
  return follow('listWorkflowServices', { namespace, node: source.node }, {}, handlers);
}

/** The actions on a service that is not of a workflow. */
export interface ServiceActions {
  readonly mayWrite: boolean;
  read(service: string): Promise<ServiceReply>;
  create(body: ServiceInput): Promise<undefined>;
  remove(service: string): Promise<undefined>;
  addRevision(service: string, body: ServiceRevisionInput): Promise<undefined>;
  removeRevision(service: string, revision: string): Promise<undefined>;
  setTraffic(service: string, body: TrafficInput): Promise<undefined>;
}

const GLOBAL = (): ServiceActions => ({
  mayWrite: may('createGlobalService'),
  read: (service) => call('getGlobalService', { service }),
  create: (body) => call('createGlobalService', {}, { body }),
  remove: (service) => call('deleteGlobalService', { service }),
  addRevision: (service, body) => call('createGlobalServiceRevision', { service }, { body }),
  removeRevision: (service, revision) => call('deleteGlobalServiceRevision', { service, revision }),
  setTraffic: (service, body) => call('setGlobalServiceTraffic', { service }, { body }),
});

const ofNamespace = (namespace: string): ServiceActions => ({
  mayWrite: may('createNamespaceService'),
  read: (service) => call('getNamespaceService', { namespace, service }),
  create: (body) => call('createNamespaceService', { namespace }, { body }),
  remove: (service) => call('deleteNamespaceService', { namespace, service }),
  addRevision: (service, body) => call('createNamespaceServiceRevision', { namespace, service }, { body }),
  removeRevision: (service, revision) => call('deleteNamespaceServiceRevision', { namespace, service, revision }),
  setTraffic: (service, body) => call('setNamespaceServiceTraffic', { namespace, service }, { body }),
});

/** The operations on services of a source; the services of a workflow are defined in its text. */
export const actionsOf = (source: Exclude<ServiceSource, { scope: 'workflow' }>): ServiceActions =>
  source.scope === 'global' ? GLOBAL() : ofNamespace(source.namespace);

/** Returns the pods that run for a revision of a service. */
export async function podsOf(source: ServiceSource, { info }: ServiceRecord, generation: string) {
  const { name: service, revision: version } = info;
  if (source.scope === 'global') {
    return (await call('listGlobalServicePods', { service, revision: generation })).pods;
  }
  const { namespace } = source;
  if (source.scope === 'namespace') {
    return (await call('listNamespaceServicePods', { namespace, service, revision: generation })).pods;
  }
  const query = { svn: service, version, rev: generation };
  return (await call('listWorkflowServicePods', { namespace, node: source.node }, { query })).pods;
}
