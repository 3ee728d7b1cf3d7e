import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { folderBlobs, memoryBlobs } from '../../lib/adapters/local/blobs.ts';
import { localChanges } from '../../lib/adapters/local/changes.ts';
import { type LocalContainers, localContainers } from '../../lib/adapters/local/containers/containers.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { type LocalTable, openLocalTable } from '../../lib/adapters/local/table/table.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { openRuntime } from './local-runtime.ts';
import type { Observer } from './observer.ts';
import type { LocalSettings } from './settings.ts';
import { upgrade } from './upgrade.ts';

/** The ports of the local service. */
export interface LocalPorts {
  readonly ports: Ports;
  /** Continues the work that an earlier process left. */
  resume(): Promise<void>;
  /** Resolves when all started work is done, except waits. */
  idle(): Promise<void>;
  /** Ends every event stream. */
  endStreams(): void;
}

/** What `openPorts` opens, and where. */
export interface PortOptions {
  readonly settings: LocalSettings;
  readonly observer: Observer;
  /** Closes everything that was opened, in the opposite order, also if a later part cannot be opened. */
  readonly closers: AsyncDisposableStack;
  /** Ports that replace those of the local service. */
  readonly replacements: Partial<Ports>;
}

function openDatabase({ data, databaseEndpoint }: LocalSettings, { onCall, onLost }: Observer): Promise<LocalTable> {
  const folder = data === undefined ? undefined : join(data, 'database');
  return openLocalTable({ folder, endpoint: databaseEndpoint, upgrade, ...omitUndefined({ onCall, onLost }) });
}

/** The engine of the containers is not used before the first service is prepared. */
function openContainers({ data, containers }: LocalSettings): LocalContainers {
  return localContainers({ folder: data === undefined ? undefined : join(data, 'containers'), ...containers });
}

/** Opens all ports of the local service, in the folder of the settings or in memory. */
export async function openPorts({ settings, observer, closers, replacements }: PortOptions): Promise<LocalPorts> {
  const { data, brand, version, retentionDays, maxScale, apiKey } = settings;
  const clock = systemClock();
  if (data !== undefined) await mkdir(data, { recursive: true });
  const database = await openDatabase(settings, observer);
  closers.defer(database.close);
  const changes = localChanges();
  const containers = openContainers(settings);
  // Closed after the runtime: a call that breaks off then is no failure of a run.
  closers.defer(() => containers.close());
  const runtime = openRuntime({ folder: data, clock, observer, ports: () => ports });
  closers.defer(runtime.close);
  const { executions, bus, schedules, activity } = runtime;
  const ports: Ports = {
    settings: { brand, version, retentionDays, maxScale },
    table: changes.observe(database.table),
    blobs: data === undefined ? memoryBlobs() : folderBlobs(join(data, 'blobs')),
    vault: localVault({ folder: data, apiKey }),
    sealer: localSealer({ folder: data }),
    web: networkWeb({ allowsLoopback: true }),
    executions,
    bus,
    schedules,
    containers,
    changes,
    clock,
    meter: undefined,
    ...replacements,
  };
  const resume = async () => {
    // Containers first: an execution may call one at once.
    for (const part of [containers, executions, bus, schedules]) await part.resume();
  };
  const idle = async () => {
    // Work that ends may start other work a moment later: a run sends an event, an event starts a run.
    for (let round = 0; round < 3; round += 1) {
      await setTimeout(10);
      await activity.idle();
    }
  };
  return { ports, resume, idle, endStreams: changes.close };
}
