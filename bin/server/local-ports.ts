import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { databaseBlobs } from '../../lib/adapters/local/blobs.ts';
import { localBus } from '../../lib/adapters/local/bus.ts';
import { localChanges } from '../../lib/adapters/local/changes.ts';
import { systemClock } from '../../lib/adapters/local/clock.ts';
import { Activity } from '../../lib/adapters/local/concurrency/activity.ts';
import { type LocalContainers, localContainers } from '../../lib/adapters/local/containers/containers.ts';
import { type LocalExecutionsOptions, localExecutions } from '../../lib/adapters/local/executions/executions.ts';
import { durableContainers, durableWeb } from '../../lib/adapters/local/outputs.ts';
import { localSchedules } from '../../lib/adapters/local/schedules.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import type { Failure } from '../../lib/domain/events/failed-deliveries.ts';
import { startByClock } from '../../lib/engine/events/event-start.ts';
import { noteFailure } from '../../lib/engine/events/failed-calls.ts';
import { route } from '../../lib/engine/events/router.ts';
import { noteEnd } from '../../lib/engine/recovery/lifecycle.ts';
import { type StepInput, step } from '../../lib/engine/step/step.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { nextTick, parseCron } from '../../lib/time/cron/cron.ts';
import type { LocalSettings } from './settings.ts';
import { openStorage, type Storage, type StorageObserver } from './storage.ts';

/** Who wants to know what goes on inside. */
export interface Observer extends StorageObserver {
  /** Each call of a function by a state machine, the bus or the clock. */
  readonly onInvoke?: () => void;
  /** Each transition of a state machine. */
  readonly onTransition?: LocalExecutionsOptions['onTransition'];
  /** Each event that the bus accepts. */
  readonly onPublish?: () => void;
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
  /** No output may leave before what it shows is durable there. */
  readonly database: Storage['database'];
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
      return noteEnd(ports(), { name, status, error, cause });
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
      await noteFailure(ports(), { detail }, why);
    },
    giveUpTick: async ({ target }: { readonly target: object }, planned: number, why: Failure) => {
      await noteFailure(ports(), { target, planned: new Date(planned).toISOString() }, why);
    },
  };
}

/** Nothing is asked of an engine before a service is prepared. */
function containersOf({ data, containers }: LocalSettings): LocalContainers {
  return localContainers({ folder: data === undefined ? undefined : join(data, 'containers'), ...containers });
}

/** What ends may begin something else a moment later: a run sends an event, an event starts a run. */
async function untilIdle(activity: Activity): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(10);
    await activity.idle();
  }
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
  const { data, brand, version, retentionDays, maxScale, apiKey } = settings;
  const clock = systemClock();
  const { database, table } = await openStorage(settings, observer, (closer) => closers.add(closer));
  const changes = localChanges();
  const { invoke, onEnd, deliver, tick, giveUpEvent, giveUpTick } = callbacksOf(() => ports, observer);
  const containers = containersOf(settings);
  // Closed after the executions: a call that is broken off then is nobody's failure.
  closers.add(() => containers.close());
  const activity = new Activity();
  const kept = { database, clock, activity };
  const { onTransition } = observer;
  const executions = localExecutions({ ...kept, invoke, onEnd, ...(onTransition && { onTransition }) });
  const bus = localBus({ ...kept, deliver, giveUp: giveUpEvent });
  const schedules = localSchedules({ ...kept, tick, giveUp: giveUpTick, nextTick: tickAfter });
  for (const part of [executions, bus, schedules]) closers.add(() => part.close());
  const whenDurable = () => database.durable({ isPatient: true });
  const ports: Ports = {
    settings: { brand, version, retentionDays, maxScale },
    table: changes.telling(table),
    blobs: databaseBlobs(database),
    vault: localVault({ folder: data, apiKey }),
    sealer: localSealer({ folder: data }),
    web: durableWeb(networkWeb({ mayAskItself: true }), whenDurable),
    executions,
    bus,
    schedules,
    containers: durableContainers(containers, whenDurable),
    changes,
    clock,
    meter: undefined,
    ...given,
  };
  const resume = async () => {
    // An execution may call a container at once.
    for (const part of [containers, executions, bus, schedules]) await part.resume();
  };
  return { ports, database, resume, idle: () => untilIdle(activity), endStreams: changes.close };
}
