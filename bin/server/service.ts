import { installStreaming, type StreamingHandler, startGateway } from '../../lib/adapters/local/gateway.ts';
import type { RequestError } from '../../lib/adapters/local/requests/refusal.ts';
import { isConsolePath } from '../../lib/api/console/console.ts';
import { matchRoute } from '../../lib/api/http/match.ts';
import { lambda, type RouteHandlers, type Suppliers } from '../../lib/api/lambda.ts';
import type { LambdaName } from '../../lib/api/registry/families.ts';
import { lambdaOf } from '../../lib/api/registry/route.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { loadConsole } from './console.ts';
import { type LocalPorts, openPorts, type PortOptions } from './local-ports.ts';
import type { Observer } from './observer.ts';
import { startReconciling } from './reconciling.ts';
import type { LocalSettings } from './settings.ts';

export type { Observer } from './observer.ts';

/** The service in this process. */
export interface Service {
  readonly url: string;
  readonly key: string;
  readonly ports: Ports;
  /** The size and age of its data at the start; undefined for data in memory. */
  readonly summary: LocalPorts['summary'];
  /** Resolves when all started work is done, except waits; this includes the sweep after the start. */
  idle(): Promise<void>;
  /** Stops the service and its child processes. Runs continue after the next start. */
  close(): Promise<void>;
}

/** The functions that serve requests. They are imported late: streaming must be installed before a handler is made. */
const FUNCTIONS: { readonly [Name in LambdaName]: () => Promise<RouteHandlers<Name>> } = {
  namespaces: () => import('../../functions/http/namespaces.ts'),
  tree: () => import('../../functions/http/tree.ts'),
  instances: () => import('../../functions/http/instances.ts'),
  variables: () => import('../../functions/http/variables.ts'),
  secrets: () => import('../../functions/http/secrets.ts'),
  registries: () => import('../../functions/http/registries.ts'),
  services: () => import('../../functions/http/services.ts'),
  events: () => import('../../functions/http/events.ts'),
  logs: () => import('../../functions/http/logs.ts'),
  metrics: () => import('../../functions/http/metrics.ts'),
  keys: () => import('../../functions/http/keys.ts'),
  system: () => import('../../functions/http/system.ts'),
};

/** The function that replies to a request without a route. */
const FALLBACK: LambdaName = 'system';

const suppliersOf = (ports: Ports): Suppliers => ({
  settings: () => ports.settings,
  table: () => ports.table,
  blobs: () => ports.blobs,
  vault: () => ports.vault,
  sealer: () => ports.sealer,
  web: () => ports.web,
  executions: () => ports.executions,
  bus: () => ports.bus,
  schedules: () => ports.schedules,
  containers: () => ports.containers,
  changes: () => ports.changes,
  clock: () => ports.clock,
  meter: () => ports.meter,
});

async function loadHandler<Name extends LambdaName>(name: Name, suppliers: Suppliers): Promise<StreamingHandler> {
  // A streaming handler takes the stream between event and context, which the type of handlers does not express.
  return lambda<Name>(await FUNCTIONS[name](), suppliers, true) as unknown as StreamingHandler;
}

type Handlers = ReadonlyMap<LambdaName, StreamingHandler>;

async function loadHandlers(ports: Ports): Promise<Handlers> {
  installStreaming();
  const suppliers = suppliersOf(ports);
  const names = Object.keys(FUNCTIONS) as LambdaName[];
  return new Map(await Promise.all(names.map(async (name) => [name, await loadHandler(name, suppliers)] as const)));
}

type Query = Record<string, string[]>;

const toServiceError = ({ reason, message, retryAfter }: RequestError): ServiceError =>
  new ServiceError(reason, message, {}, retryAfter);

const handlerOf =
  (handlers: Handlers, console: StreamingHandler) =>
  (method: string, path: string, query: Query): StreamingHandler => {
    if (isConsolePath(path)) return console;
    const match = matchRoute(method, path, query);
    const name = 'route' in match ? lambdaOf(match.route) : FALLBACK;
    const handler = handlers.get(name);
    if (handler === undefined) throw new Error(`no function is named ${name}`);
    return handler;
  };

async function open(options: PortOptions): Promise<Service> {
  const { settings, closers } = options;
  const { ports, database, summary, resume, idle, endStreams } = await openPorts(options);
  const handlers = await loadHandlers(ports);
  // The folder is locked and no request is served yet: what is open now is carried by no process.
  await resume();
  closers.defer(await startReconciling(ports));
  const gateway = await startGateway({
    host: settings.host,
    port: settings.port,
    handlerOf: handlerOf(handlers, await loadConsole()),
    requestId: ports.clock.uuid,
    toError: toServiceError,
    storage: database,
  });
  closers.defer(gateway.close);
  closers.defer(endStreams);
  const sweeping = sweep(ports).catch((error: unknown) => console.error('the sweep after the start failed', error));
  return {
    url: gateway.url,
    key: await ports.vault.adminKey(),
    ports,
    summary,
    idle: () => sweeping.then(idle),
    close: () => closers.disposeAsync(),
  };
}

/**
 * Starts the service with the local ports, except for the `replacements`. Throws if a part cannot be started, after
 * everything that was opened has been closed.
 */
export async function startService(
  settings: LocalSettings,
  observer: Observer = {},
  replacements: Partial<Ports> = {},
): Promise<Service> {
  const closers = new AsyncDisposableStack();
  try {
    return await open({ settings, observer, closers, replacements });
  } catch (error) {
    await closers.disposeAsync();
    throw error;
  }
}
