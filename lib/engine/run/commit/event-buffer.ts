import * as events from '../../../domain/events/events.ts';
import { homeOf, type Run } from '../../../domain/runs/runs.ts';
import type { Publication } from '../../../domain/runs/waits.ts';
import { BROADCAST_DELAY_MS } from '../../../events/broadcasts.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import type { Write } from '../../../ports/table.ts';
import type { EnginePorts } from '../../ports.ts';

interface Pending {
  readonly event: CloudEvent;
  readonly at: number | undefined;
}

/** An event is two writes of a commit: its record, and the pointer from its id to the record. */
const WRITES_PER_EVENT = 2;

/** The events that a run sends with its next commit (transactional outbox): recorded by it, published after it. */
export class EventBuffer {
  private readonly ports: Pick<EnginePorts, 'blobs' | 'clock'>;
  private readonly pending: Pending[] = [];

  constructor(ports: Pick<EnginePorts, 'blobs' | 'clock'>) {
    this.ports = ports;
  }

  /** Sends an event, at once or at a time in milliseconds since 1970. Undefined is ignored. */
  send(event: CloudEvent | undefined, at?: number): void {
    if (event !== undefined) this.pending.push({ event, at });
  }

  /** Sends an event that the namespace's configuration asks for; those are delayed (rest-api reference, 4.7). */
  sendBroadcast(event: CloudEvent | undefined): void {
    this.send(event, this.ports.clock.now() + BROADCAST_DELAY_MS);
  }

  /** How many writes the events are. */
  get size(): number {
    return WRITES_PER_EVENT * this.pending.length;
  }

  /** The writes that record the events, and the messages to publish after the commit; undefined: none. */
  async prepare(
    run: Pick<Run, 'namespace' | 'namespaceId' | 'settings'>,
  ): Promise<{ readonly publish: Publication[] | undefined; readonly writes: Write[] }> {
    const home = homeOf(run);
    const namespace = { id: run.namespaceId, name: run.namespace };
    const publish: Publication[] = [];
    const writes: Write[] = [];
    for (const { event, at } of this.pending) {
      const times = { received: this.ports.clock.now(), due: at };
      const recorded = await events.toWrites(this.ports, home, event, times);
      writes.push(...recorded.writes);
      const message = events.toMessage(namespace, recorded.key, event);
      publish.push({ message, ...(at === undefined ? {} : { at }) });
    }
    return { publish: publish.length === 0 ? undefined : publish, writes };
  }
}
