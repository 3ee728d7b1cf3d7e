import { withReserve } from '../../lib/adapters/local/database/disk/reserved-work.ts';
import { type GatewaySettings, startGateway } from '../../lib/adapters/local/gateway.ts';
import { DEFAULT_CONNECTIONS } from '../../lib/adapters/local/requests/connections.ts';
import type { RequestError } from '../../lib/adapters/local/requests/refusal.ts';
import { LOCAL_KEY_FILE } from '../../lib/adapters/local/vault.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';
import { ownMember } from '../../lib/language/own-members.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { announce } from './access/announcement.ts';
import { SignInLinks } from './access/sign-in.ts';
import { Followed } from './follow/followed.ts';
import { loadHandlers } from './handlers.ts';
import { type LocalPorts, openPorts, type PortOptions } from './local-ports.ts';
import type { Observer } from './observer.ts';
import type { LocalSettings } from './settings.ts';
import { startJobs } from './upkeep/jobs.ts';
import { startReconciling } from './upkeep/reconciling.ts';

export type { Observer } from './observer.ts';

/** The service in this process. */
export interface Service {
  readonly url: string;
  readonly key: string;
  readonly ports: Ports;
  /** The size and age of its data at the start; undefined for data in memory. */
  readonly summary: LocalPorts['summary'];
  /** The namespaces that follow a repository, for the caller who follows it. */
  readonly followed: readonly Followed[];
  /** A new link that signs in to the console once, within ten minutes. */
  signInLink(): string;
  /** Resolves when all started work is done, except waits; this includes the sweep after the start. */
  idle(): Promise<void>;
  /** Stops the service and its child processes. Runs continue after the next start. */
  close(): Promise<void>;
}

const toServiceError = ({ reason, message, retryAfter }: RequestError): ServiceError =>
  new ServiceError(reason, message, {}, retryAfter);

/** The total is never less than the limit of one address: with a proxy, all clients have its address. */
const connectionLimits = ({ connectionsPerAddress: most }: LocalSettings) =>
  most === undefined
    ? {}
    : { connectionsPerAddress: most, connections: Math.max(most, DEFAULT_CONNECTIONS.connections) };

/** What to do about a port that cannot be served, by the code of the error of Node. */
const PORT_PROBLEMS: Readonly<Record<string, (settings: LocalSettings) => string>> = {
  EADDRINUSE: ({ port }) => `the port ${port} is in use by another program; set PORT=0 for any free one, or another`,
  EACCES: ({ port }) => `the port ${port} is for administrators alone; set PORT to one from 1024 on, or PORT=0 for any`,
  EADDRNOTAVAIL: ({ host }) => `the address '${host}' is none of this computer; set HOST to one that is`,
};

/** Throws Error with a message for the user if the port cannot be served. */
async function listen(settings: LocalSettings, served: Omit<GatewaySettings, 'host' | 'port'>) {
  const { host, port } = settings;
  return startGateway({ host, port, ...served }).catch((error: NodeJS.ErrnoException) => {
    const problem = ownMember(PORT_PROBLEMS, error.code ?? '');
    throw problem === undefined ? error : new Error(problem(settings), { cause: error });
  });
}

async function open(given: Omit<PortOptions, 'ownPorts'>): Promise<Service> {
  const ownPorts = new Set([given.settings.port]);
  const options: PortOptions = { ...given, ownPorts };
  const { settings, closers } = options;
  const { ports, database, summary, metrics, resume, idle, endStreams } = await openPorts(options);
  const links = new SignInLinks(ports);
  const followed = (settings.followed ?? []).map((one) => new Followed(one));
  const following = { followed, variables: settings.variables ?? {} };
  const handlers = await loadHandlers(ports, { links, metrics, following });
  // The folder is locked and no request is served yet: no process does the open work now.
  await resume();
  closers.defer(await startReconciling(ports));
  closers.defer(await startJobs(ports));
  const gateway = await listen(settings, {
    ...handlers,
    requestId: ports.clock.uuid,
    toError: toServiceError,
    storage: database,
    processor: ports.processor,
    limits: connectionLimits(settings),
  });
  ownPorts.add(Number(new URL(gateway.url).port));
  closers.defer(gateway.close);
  if (settings.data !== undefined)
    closers.defer(announce(settings.data, gateway.url, settings.apiKey === undefined ? LOCAL_KEY_FILE : null));
  closers.defer(endStreams);
  let isStopping = false;
  closers.defer(() => {
    isStopping = true;
  });
  // A stop ends the sweep wherever it is: the database closes. The next start sweeps again.
  const sweeping = sweep(ports).catch((error: unknown) => {
    if (!isStopping) console.error('the sweep after the start failed', error);
  });
  return {
    url: gateway.url,
    key: await ports.vault.adminKey(),
    ports,
    summary,
    followed,
    signInLink: () => links.issue(gateway.url),
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
    // On a full disk the service starts with its reserve, and serves reads, cancellations and deletions.
    return await withReserve(() => open({ settings, observer, closers, replacements }));
  } catch (error) {
    await closers.disposeAsync();
    throw error;
  }
}
