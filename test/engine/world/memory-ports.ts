import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import { secretSourcesIn } from '../../../lib/domain/credentials/references.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import type { BroadcastKind } from '../../../lib/events/broadcasts.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Schedule } from '../../../lib/ports/schedules.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { ProgrammedLambdas } from '../../contract/programmed-lambdas.ts';
import { ProgrammedSecrets } from '../../contract/programmed-secrets.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';

export interface DelayedMessage {
  readonly at: number;
  readonly message: Message;
}

/** Ports over memory, with a clock that does not advance. They store their arguments and have no other effects. */
export class MemoryPorts {
  readonly messages: Message[] = [];
  readonly delayed: DelayedMessage[] = [];
  /** The executions that were started, by name. */
  readonly started: string[] = [];
  readonly schedules = new Map<string, Schedule>();
  readonly containers = new ScriptedContainers();
  readonly externalSecrets = new ProgrammedSecrets();
  readonly ports: RunnerPorts;
  now = Date.UTC(2026, 0, 15, 12);
  private ids = 0;
  private static worlds = 0;

  constructor() {
    const world = String(++MemoryPorts.worlds).padStart(4, '0');
    this.ports = {
      settings: { brand: 'service', version: 'v0', secretSources: secretSourcesIn('aws-sm:weft/{namespace}/*') },
      table: new MemoryTable(),
      blobs: memoryBlobs(),
      executions: {
        define: async ({ name }) => name,
        remove: async () => {},
        start: async (_handle, name) => {
          if (!this.started.includes(name)) this.started.push(name);
          return true;
        },
        isRunning: async (_handle, name) => this.started.includes(name),
        stop: async () => {},
        answer: async () => true,
      },
      bus: {
        publish: async (messages) => void this.messages.push(...messages),
        publishAt: async (at, _name, message) => void this.delayed.push({ at, message }),
      },
      schedules: {
        problemOf: () => undefined,
        set: async (schedule) => void this.schedules.set(schedule.name, schedule),
        remove: async (name) => void this.schedules.delete(name),
      },
      containers: this.containers,
      sealer: localSealer(),
      externalSecrets: this.externalSecrets,
      lambdas: new ProgrammedLambdas(),
      web: new ProgrammedWeb(),
      clock: {
        now: () => this.now,
        uuid: () => `0bee0000-${world}-7000-8000-${String(++this.ids).padStart(12, '0')}`,
        secret: () => 'secret',
      },
    };
  }

  async namespace(name: string, broadcasts: readonly BroadcastKind[] = []): Promise<namespaces.Namespace> {
    await namespaces.create(this.ports, name);
    await configure(this.ports, name, {
      broadcast: Object.fromEntries(broadcasts.map((key) => [key, true])),
    });
    return namespaces.need(this.ports, name);
  }

  /** Delivers the published messages to the router. */
  async routeAll(): Promise<void> {
    for (const message of this.messages.splice(0)) await route(this.ports, message);
  }
}

export const eventOf = (id: string, type = 't'): CloudEvent => ({ specversion: '1.0', id, source: 's', type });
