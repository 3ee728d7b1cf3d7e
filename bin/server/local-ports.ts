import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { folderBlobs, memoryBlobs } from '../../lib/adapters/local/blobs.ts';
import { localBus } from '../../lib/adapters/local/bus.ts';
import { localChanges } from '../../lib/adapters/local/changes.ts';
import { Activity } from '../../lib/adapters/local/concurrency/activity.ts';
import { type LocalContainers, localContainers } from '../../lib/adapters/local/containers/containers.ts';
import { type LocalExecutionsOptions, localExecutions } from '../../lib/adapters/local/executions/executions.ts';
import { localSchedules } from '../../lib/adapters/local/schedules.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { type LocalTableOptions, openLocalTable } from '../../lib/adapters/local/table/table.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import type { Failure } from '../../lib/domain/events/dead-letters.ts';
import { keepDeadLetter } from '../../lib/engine/events/dead-letters.ts';
import { route } from '../../lib/engine/events/router.ts';
import { startByClock } from '../../lib/engine/events/starts.ts';
import { onExecutionEnd } from '../../lib/engine/recovery/lifecycle.ts';
import { type StepInput, step } from '../../lib/engine/step/step.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { nextTick, parseCron } from '../../lib/time/cron/cron.ts';
import type { LocalSettings } from './settings.ts';
import { upgrade } from './upgrade.ts';

/** Who wants to know what goes on inside. */
export interface Observer {
  /** Each call to the database. */
  readonly onCall?: LocalTableOptions['onCall'];
  /** Each call of a function by a state machine, the bus or the clock. */
  readonly onInvoke?: () => void;
  /** Each transition of a state machine. */
  readonly onTransition?: LocalExecutionsOptions['onTransition'];
  /** Each event that the bus accepts. */
  readonly onPublish?: () => void;
  /** The database ended by itself; nothing works from then on. */
  readonly onLost?: (reason: string) => void;
}

/** What was opened is closed in the opposite order, also when a later part does not open. */
export class Closers {
  private readonly closers: (() => Promise<void> | void)[] = [];
  add(closer: () => Promise<void> | void): void {
    this.closers.unshift(closer);
  }
  async close(): Promise<void> {
    for (const closer of this.closers.splice(0)) await closer();
  }
}

/** The ports of the local service. */
export interface LocalPorts {
  readonly ports: Ports;
  /** Goes on with what a former process left. */
  resume(): Promise<void>;
  /** Resolves when what was begun is done but for waits. */
  idle(): Promise<void>;
  /** Lets nobody watch any longer: the end of every event stream. */
  endStreams(): void;
}

function tickAfter(text: string, after: number): number | undefined {
  const cron = parseCron(text);
  return 'problem' in cron ? undefined : nextTick(cron, after);
}

/** What the executions, the bus and the clock call when it is time. */
function callbacksOf(ports: () => Ports, { onInvoke, onPublish }: Observer) {
  return {
    invoke: (_function: string, payload: unknown) => {
      onInvoke?.();
      return step(ports(), payload as StepInput);
    },
    onEnd: (ended: Parameters<NonNullable<Parameters<typeof localExecutions>[0]['onEnd']>>[0]) => {
      const { name, status, error = '', cause = '' } = ended;
      return onExecutionEnd(ports(), { name, status, error, cause });
    },
    deliver: (message: Parameters<typeof route>[1]) => {
      onPublish?.();
      onInvoke?.();
      return route(ports(), message);
    },
    tick: ({ target }: { readonly target: Parameters<typeof startByClock>[1] }, planned: number) => {
      onInvoke?.();
      return startByClock(ports(), target, planned);
    },
    giveUpEvent: async (detail: Parameters<typeof route>[1], why: Failure) => {
      await keepDeadLetter(ports(), { detail }, why);
    },
    giveUpTick: async ({ target }: { readonly target: object }, planned: number, why: Failure) => {
      await keepDeadLetter(ports(), { target, planned: new Date(planned).toISOString() }, why);
    },
  };
}

/** Nothing is asked of an engine before a service is prepared. */
function containersOf({ data, containers }: LocalSettings): LocalContainers {
  return localContainers({ folder: data === undefined ? undefined : join(data, 'containers'), ...containers });
}

/**
 * Opens everything that the service keeps and runs on, in the settings' folder or in memory. What is `given` stands in
 * the place of our own.
 */
export async function openPorts(
  settings: LocalSettings,
  observer: Observer,
  closers: Closers,
  given: Partial<Ports> = {},
): Promise<LocalPorts> {
  const { data, brand, version, retentionDays, maxScale, apiKey, databaseEndpoint } = settings;
  const clock = systemClock();
  if (data !== undefined) await mkdir(data, { recursive: true });
  const fileOf = (name: string) => (data === undefined ? ':memory:' : join(data, name));
  const folder = data === undefined ? undefined : join(data, 'database');
  const { onCall, onLost, onTransition } = observer;
  const watched = { ...(onCall && { onCall }), ...(onLost && { onLost }) };
  const database = await openLocalTable({ folder, endpoint: databaseEndpoint, upgrade, ...watched });
  closers.add(database.close);
  const changes = localChanges();
  const { invoke, onEnd, deliver, tick, giveUpEvent, giveUpTick } = callbacksOf(() => ports, observer);
  const containers = containersOf(settings);
  // Closed after the executions: a call that is broken off then is nobody's failure.
  closers.add(() => containers.close());
  const activity = new Activity();
  const executions = localExecutions({
    file: fileOf('executions.db'),
    clock,
    invoke,
    onEnd,
    activity,
    ...(onTransition && { onTransition }),
  });
  const bus = localBus({ file: fileOf('bus.db'), clock, deliver, giveUp: giveUpEvent, activity });
  const ticking = { tick, giveUp: giveUpTick, nextTick: tickAfter };
  const schedules = localSchedules({ file: fileOf('schedules.db'), clock, ...ticking, activity });
  for (const part of [executions, bus, schedules]) closers.add(() => part.close());
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
    ...given,
  };
  const resume = async () => {
    // An execution may call a container at once.
    for (const part of [containers, executions, bus, schedules]) await part.resume();
  };
  const idle = async () => {
    // What ends may begin something else a moment later: a run sends an event, an event starts a run.
    for (let round = 0; round < 3; round += 1) {
      await setTimeout(10);
      await activity.idle();
    }
  };
  return { ports, resume, idle, endStreams: changes.close };
}
