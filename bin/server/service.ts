import { installStreaming, type StreamingHandler, startGateway } from '../../lib/adapters/local/gateway.ts';
import { isConsolePath } from '../../lib/api/console/console.ts';
import { largestBodyOf } from '../../lib/api/http/call.ts';
import { matchRoute } from '../../lib/api/http/match.ts';
import { lambda, type Suppliers } from '../../lib/api/lambda.ts';
import type { FamilyName } from '../../lib/api/registry/families.ts';
import { lambdaOf } from '../../lib/api/registry/route.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { loadConsole } from './console.ts';
import { Closers, type Observer, openPorts } from './local-ports.ts';
import type { LocalSettings } from './settings.ts';

export type { Observer } from './local-ports.ts';

/** The whole service in this process. */
export interface Service {
  readonly url: string;
  readonly key: string;
  readonly ports: Ports;
  /** Resolves when what was begun is done but for waits: executions, and the sweep after the start. */
  idle(): Promise<void>;
  /** Ends it with its child processes; what runs goes on at the next start. */
  close(): Promise<void>;
}

/** The functions that answer requests; a family without one is answered by `system`. */
const FUNCTIONS = [
  'namespaces',
  'tree',
  'instances',
  'variables',
  'secrets',
  'registries',
  'services',
  'events',
  'logs',
  'metrics',
  'keys',
  'system',
] as const satisfies FamilyName[];

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

/** Streaming must be there before a handler is made, so the functions are imported late. */
async function loadHandlers(ports: Ports): Promise<Map<FamilyName, StreamingHandler>> {
  installStreaming();
  const suppliers = suppliersOf(ports);
  // A handler that streams takes the stream between event and context, which the type of handlers does not say.
  const loaded = FUNCTIONS.map(async (name) => {
    const { endpoints, tails } = await import(`../../functions/http/${name}.ts`);
    return [name, lambda(endpoints, suppliers, true, tails) as unknown as StreamingHandler] as const;
  });
  return new Map(await Promise.all(loaded));
}

/** What a route takes, or would if there were one. */
function largestBody(method: string, path: string, query: Record<string, string[]>): number {
  const match = matchRoute(method, path, query);
  return largestBodyOf('route' in match ? match.route : {});
}

function chooserOf(handlers: ReadonlyMap<FamilyName, StreamingHandler>, ofConsole: StreamingHandler) {
  const rest = handlers.get('system');
  return (method: string, path: string, query: Record<string, string[]>): StreamingHandler => {
    if (isConsolePath(path)) return ofConsole;
    const match = matchRoute(method, path, query);
    const handler = ('route' in match ? handlers.get(lambdaOf(match.route)) : undefined) ?? rest;
    if (handler === undefined) throw new Error('no function answers requests');
    return handler;
  };
}

async function open(
  settings: LocalSettings,
  observer: Observer,
  closers: Closers,
  given: Partial<Ports>,
): Promise<Service> {
  const { ports, resume, idle, endStreams } = await openPorts(settings, observer, closers, given);
  const gateway = await startGateway({
    host: settings.host,
    port: settings.port,
    handlerOf: chooserOf(await loadHandlers(ports), await loadConsole()),
    requestId: ports.clock.uuid,
    largestBody,
  });
  closers.add(gateway.close);
  closers.add(endStreams);
  await resume();
  const sweeping = sweep(ports).catch((error: unknown) => console.error('the sweep after the start failed', error));
  return {
    url: gateway.url,
    key: await ports.vault.adminKey(),
    ports,
    idle: () => sweeping.then(idle),
    close: () => closers.close(),
  };
}

/**
 * Starts the service, over ports of its own but for those `given`. Throws, with nothing left open, when a part cannot
 * start.
 */
export async function startService(
  settings: LocalSettings,
  observer: Observer = {},
  given: Partial<Ports> = {},
): Promise<Service> {
  const closers = new Closers();
  try {
    return await open(settings, observer, closers, given);
  } catch (error) {
    await closers.close();
    throw error;
  }
}
