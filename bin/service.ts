import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderBlobs, memoryBlobs } from '../lib/adapters/local/blobs.ts';
import { systemClock } from '../lib/adapters/local/clock.ts';
import { localExecutions } from '../lib/adapters/local/executions.ts';
import { installStreaming, type StreamingHandler, startGateway } from '../lib/adapters/local/gateway.ts';
import { type LocalTableOptions, openLocalTable } from '../lib/adapters/local/table.ts';
import { localVault } from '../lib/adapters/local/vault.ts';
import { LARGEST_BODY } from '../lib/api/call.ts';
import type { FamilyName } from '../lib/api/families.ts';
import { lambda, type Suppliers } from '../lib/api/lambda.ts';
import { matchRoute } from '../lib/api/match.ts';
import { lambdaOf } from '../lib/api/route.ts';
import { noteEnd } from '../lib/engine/lifecycle.ts';
import { type StepInput, step } from '../lib/engine/steps.ts';
import { sweep } from '../lib/engine/sweep.ts';
import type { Ports } from '../lib/ports.ts';
import type { LocalSettings } from './settings.ts';

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

/** Who wants to know what goes on inside. */
export interface Observer {
  /** Each call to the database. */
  readonly onCall?: LocalTableOptions['onCall'];
  /** Each call of the steps function by a state machine. */
  readonly onStep?: () => void;
  /** The database ended by itself; nothing works from then on. */
  readonly onLost?: (reason: string) => void;
}

/** The functions that answer requests; a family without one is answered by `system`. */
const FUNCTIONS = ['namespaces', 'tree', 'instances', 'logs', 'keys', 'system'] as const satisfies FamilyName[];

const suppliersOf = (ports: Ports): Suppliers => ({
  settings: () => ports.settings,
  table: () => ports.table,
  blobs: () => ports.blobs,
  vault: () => ports.vault,
  executions: () => ports.executions,
  clock: () => ports.clock,
});

/** Streaming must be there before a handler is made, so the functions are imported late. */
async function loadHandlers(ports: Ports): Promise<Map<FamilyName, StreamingHandler>> {
  installStreaming();
  const suppliers = suppliersOf(ports);
  // A handler that streams takes the stream between event and context, which the type of handlers does not say.
  const loaded = FUNCTIONS.map(async (name) => {
    const { endpoints } = await import(`../functions/${name}.ts`);
    return [name, lambda(endpoints, suppliers) as unknown as StreamingHandler] as const;
  });
  return new Map(await Promise.all(loaded));
}

function chooserOf(handlers: ReadonlyMap<FamilyName, StreamingHandler>) {
  const rest = handlers.get('system');
  return (method: string, path: string, query: Record<string, string[]>): StreamingHandler => {
    const match = matchRoute(method, path, query);
    const handler = ('route' in match ? handlers.get(lambdaOf(match.route)) : undefined) ?? rest;
    if (handler === undefined) throw new Error('no function answers requests');
    return handler;
  };
}

/** What was opened is closed in the opposite order, also when a later part does not open. */
class Closers {
  private readonly closers: (() => Promise<void> | void)[] = [];
  add(closer: () => Promise<void> | void): void {
    this.closers.unshift(closer);
  }
  async close(): Promise<void> {
    for (const closer of this.closers.splice(0)) await closer();
  }
}

async function open(settings: LocalSettings, observer: Observer, closers: Closers): Promise<Service> {
  const { data } = settings;
  const clock = systemClock();
  if (data !== undefined) await mkdir(data, { recursive: true });
  const inData = (name: string) => (data === undefined ? undefined : join(data, name));
  const { onCall, onStep, onLost } = observer;
  const database = await openLocalTable({
    folder: inData('database'),
    endpoint: settings.databaseEndpoint,
    ...(onCall && { onCall }),
    ...(onLost && { onLost }),
  });
  closers.add(database.close);
  const vault = localVault({ folder: data, apiKey: settings.apiKey });
  const blobs = data === undefined ? memoryBlobs() : folderBlobs(join(data, 'blobs'));
  const executions = localExecutions({
    file: inData('executions.db') ?? ':memory:',
    clock,
    invoke: (_function, payload) => {
      onStep?.();
      return step(ports, payload as StepInput);
    },
    onEnd: ({ name, status, error = '', cause = '' }) => noteEnd(ports, { name, status, error, cause }),
  });
  closers.add(() => executions.close());
  const { brand, version } = settings;
  const ports: Ports = { settings: { brand, version }, table: database.table, blobs, vault, executions, clock };
  const gateway = await startGateway({
    host: settings.host,
    port: settings.port,
    handlerOf: chooserOf(await loadHandlers(ports)),
    requestId: clock.uuid,
    largestBody: LARGEST_BODY,
  });
  closers.add(gateway.close);
  await executions.resume();
  const sweeping = sweep(ports).catch((error: unknown) => console.error('the sweep after the start failed', error));
  const idle = async () => {
    await sweeping;
    await executions.idle();
  };
  return { url: gateway.url, key: await vault.adminKey(), ports, idle, close: () => closers.close() };
}

/** Starts the service. Throws, with nothing left open, when a part cannot start. */
export async function startService(settings: LocalSettings, observer: Observer = {}): Promise<Service> {
  const closers = new Closers();
  try {
    return await open(settings, observer, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}
