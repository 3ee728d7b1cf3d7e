import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { databaseBlobs } from '../../lib/adapters/local/blobs.ts';
import { localChanges } from '../../lib/adapters/local/changes.ts';
import { anchoredTime, keepAnchor } from '../../lib/adapters/local/clock-anchor.ts';
import type { Activity } from '../../lib/adapters/local/concurrency/activity.ts';
import { type LocalContainers, localContainers } from '../../lib/adapters/local/containers/containers.ts';
import { durableContainers, durableLambdas, durableWeb } from '../../lib/adapters/local/outputs.ts';
import { PrometheusMeter, type Readings } from '../../lib/adapters/local/prometheus.ts';
import { FairProcessor } from '../../lib/adapters/local/scheduling/fair-processor.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { steadyTime } from '../../lib/adapters/local/steady-time.ts';
import { threadedReader } from '../../lib/adapters/local/texts/threads.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { awsLambdas } from '../../lib/adapters/portable/lambdas.ts';
import { OtlpTraces } from '../../lib/adapters/portable/otlp.ts';
import { awsPlaces } from '../../lib/adapters/portable/secrets/aws.ts';
import { externalSecrets } from '../../lib/adapters/portable/secrets/external-secrets.ts';
import { vaultPlaceOf } from '../../lib/adapters/portable/secrets/vault-settings.ts';
import { iamTokens } from '../../lib/adapters/portable/tokens/iam-tokens.ts';
import { issuerTokens } from '../../lib/adapters/portable/tokens/issuer-tokens.ts';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import * as apiKeys from '../../lib/domain/credentials/api-keys.ts';
import * as runs from '../../lib/domain/runs/runs.ts';
import { protectedKindOf } from '../../lib/egress/addresses.ts';
import { parseJson } from '../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';
import { ownMember } from '../../lib/language/own-members.ts';
import type { Web } from '../../lib/ports/callees/web.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { ExternalSecretError, type ExternalSecrets } from '../../lib/ports/external-secrets.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { TextReader } from '../../lib/ports/reader.ts';
import type { Tokens } from '../../lib/ports/tokens.ts';
import { openRuntime } from './local-runtime.ts';
import type { Observer } from './observer.ts';
import type { LocalSettings } from './settings.ts';
import { openStorage, type Storage } from './storage.ts';
import { startUpkeep } from './upkeep/upkeep.ts';

/** The ports of the local service. */
export interface LocalPorts {
  readonly ports: Ports;
  /** An output must not leave before the data that it shows is durable in this database. */
  readonly database: Storage['database'];
  readonly summary: Storage['summary'];
  /** The meter of the ports, and what else the metrics of the process show. */
  readonly metrics: { readonly meter: PrometheusMeter; readonly readings: Readings };
  /** Continues the work that an earlier process left. */
  resume(): Promise<void>;
  /** Resolves when all started work is done, except waits. */
  idle(): Promise<void>;
  /** Ends every event stream. */
  endStreams(): void;
}

/** The options of `openPorts`. */
export interface PortOptions {
  readonly settings: LocalSettings;
  readonly observer: Observer;
  /** Closes everything that was opened, in the opposite order, also if a later part cannot be opened. */
  readonly closers: AsyncDisposableStack;
  /** Ports that replace those of the local service. */
  readonly replacements: Partial<Ports>;
  /** The network ports on which this process listens: workflows cannot reach them. */
  readonly ownPorts: ReadonlySet<number>;
}

/** The engine of the containers is not used before the first service is prepared. */
function openContainers({ settings: { data, containers: how }, closers }: PortOptions): LocalContainers {
  const containers = localContainers({ folder: data === undefined ? undefined : join(data, 'containers'), ...how });
  // Closed after the runtime: a call that breaks off then is no failure of a run.
  closers.defer(() => containers.close());
  return containers;
}

/** The addresses of this machine, as egress rules. */
const LOOPBACK_RULES = ['127.0.0.0/8', '::1'];

/**
 * Workflows reach this machine where an egress rule of their namespace opens it. While the service listens on this machine
 * alone and the administrator is the only caller, all do: they are the administrator's own. None reaches the service itself.
 */
function openWeb(
  { settings: { allowsPrivateAddresses, host, oidc, iam }, ownPorts }: PortOptions,
  table: Ports['table'],
): Web {
  const hasTokens = oidc !== undefined || iam !== undefined;
  const isPrivate = !hasTokens && (host === 'localhost' || protectedKindOf(host) === 'loopback');
  const isOfAdministrator = async () => isPrivate && !(await apiKeys.hasAny({ table }));
  return networkWeb({
    allowsPrivate: allowsPrivateAddresses === true,
    allowsLoopback: allowsPrivateAddresses === true || 'by-rule',
    ownPorts: () => ownPorts,
    openedToAll: async () => ((await isOfAdministrator()) ? LOOPBACK_RULES : []),
  });
}

/** Variables with credentials of the service itself, which no workflow may have. */
const OWN_VARIABLES = ['APIKEY', 'VAULT_TOKEN', 'VAULT_SECRET_ID'].map((name) => `env:${name}`);

function openExternalSecrets({ settings: { vault, variables = {} } }: PortOptions, { now }: Clock): ExternalSecrets {
  const { secret, parameter } = awsPlaces();
  const env = async (name: string): Promise<string> => {
    const value = ownMember(variables, name);
    if (value !== undefined) return value;
    throw new ExternalSecretError('missing', 'the process has no such environment variable');
  };
  const places = { 'aws-sm': secret, 'aws-ssm': parameter, vault: vaultPlaceOf(vault, parameter, now), env };
  return externalSecrets({ places, own: new Set(OWN_VARIABLES), now });
}

/** Accepts the tokens of the issuer and of IAM, if the settings have them. */
function openTokens({ settings: { oidc, iam, stsEndpoint } }: PortOptions, { now }: Clock): Tokens {
  return { oidc: oidc && issuerTokens(oidc, now), iam: iam && iamTokens(iam, now, stsEndpoint) };
}

/** Threads that read large texts of workflows, until the service is closed. */
function openReader({ closers }: PortOptions): TextReader {
  const reader = threadedReader();
  closers.defer(() => reader.close());
  return reader;
}

/** A receiver that does not answer delays the end of the process by this time at most. */
const LAST_EXPORT_MS = 3_000;

/** Exports traces until the service is closed; the last ones are sent then. */
function openTraces({ settings: { traces: settings }, closers }: PortOptions): Pick<Ports, 'traces'> {
  if (settings === undefined) return {};
  const traces = new OtlpTraces(settings, (text) => console.error(text));
  closers.defer(() => Promise.race([traces.flush(), setTimeout(LAST_EXPORT_MS, undefined, { ref: false })]));
  return { traces };
}

/** Work that ends may start other work a moment later: a run sends an event, an event starts a run. */
async function untilIdle(activity: Activity): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(10);
    await activity.idle();
  }
}

/** The clock, which continues that of the process before in the folder if the clock of the system was set meanwhile. */
function openClock({ settings: { data }, closers }: PortOptions): Clock {
  if (data === undefined) return systemClock(steadyTime());
  const clock = systemClock(steadyTime(anchoredTime(data)));
  closers.defer(keepAnchor(data, clock.now));
  return clock;
}

/** The namespace of the run that an input names. A database elsewhere would get a paid request for each call of a function. */
function tenantOf({ settings: { databaseEndpoint } }: PortOptions, table: Ports['table']) {
  if (databaseEndpoint !== undefined) return undefined;
  return async (input: string): Promise<string> =>
    (await runs.namespaceIdOf({ table }, (parseJson(input) as { readonly run: string }).run)) ?? '';
}

/** What metrics read at the moment when they are requested. */
const readingsOf = (activity: Activity, { database, size }: Pick<Storage, 'database' | 'size'>): Readings => ({
  work: () => activity.count,
  bytes: size,
  isWritable: () => database.outage === undefined,
});

/** The settings that the ports have. */
function settingsPort({ settings, ownPorts }: PortOptions): Ports['settings'] {
  const { brand, version, retentionDays, maxScale, startBudgetMs, waits, limits, quotas, audit, host, url } = settings;
  return {
    ...{ brand, version, retentionDays, maxScale, startBudgetMs, waits, limits, quotas, audit },
    secretSources: settings.secretSources,
    // The port may be known only when requests are served.
    get url() {
      return url ?? `http://${host}:${[...ownPorts].at(-1)}`;
    },
  };
}

/** Opens all ports of the local service, in the folder of the settings or in memory. */
export async function openPorts(options: PortOptions): Promise<LocalPorts> {
  const { settings, observer, closers, replacements } = options;
  const { data, apiKey } = settings;
  const { database, table, expire, summary, size } = await openStorage({ settings, observer, closers });
  const clock = openClock(options);
  const blobs = databaseBlobs(database);
  const traces = openTraces(options);
  const meter = new PrometheusMeter();
  const changes = localChanges();
  const containers = openContainers(options);
  const runtime = openRuntime({ database, clock, observer, ports: () => ports, tenantOf: tenantOf(options, table) });
  closers.defer(runtime.close);
  const { executions, bus, schedules, timers, activity } = runtime;
  const whenDurable = () => database.durable({ isPatient: true });
  const ports: Ports = {
    settings: settingsPort(options),
    table: changes.observe(table),
    blobs,
    vault: localVault({ folder: data, apiKey, ...omitUndefined({ onNewKey: observer.onNewKey }) }),
    sealer: localSealer({ folder: data }),
    externalSecrets: openExternalSecrets(options, clock),
    web: durableWeb(openWeb(options, table), whenDurable),
    lambdas: durableLambdas(awsLambdas(), whenDurable),
    executions,
    bus,
    schedules,
    timers,
    containers: durableContainers(containers, whenDurable),
    changes,
    clock,
    processor: new FairProcessor(clock),
    reader: openReader(options),
    meter,
    ...traces,
    tokens: openTokens(options, clock),
    ...replacements,
  };
  const resume = async () => {
    closers.defer(startUpkeep({ database, expire, clock, removeBlobs: blobs.removeNow }));
    // Containers first: an execution may call one at once.
    for (const part of [containers, executions, bus, schedules, timers]) await part.resume();
  };
  const metrics = { meter, readings: readingsOf(activity, { database, size }) };
  return { ports, database, summary, metrics, resume, idle: () => untilIdle(activity), endStreams: changes.close };
}
