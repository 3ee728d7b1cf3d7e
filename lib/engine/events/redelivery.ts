import * as failed from '../../domain/events/dead-letters.ts';
import * as events from '../../domain/events/events.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import type { EnginePorts } from '../ports.ts';
import { startByClock } from './event-start.ts';
import { takeIn } from './inbound.ts';

type Kind = failed.Delivery['kind'];
type Of<K extends Kind> = Extract<failed.Delivery, { kind: K }>;

const AGAIN: {
  readonly [K in Kind]: (ports: EnginePorts, namespace: Namespace, delivery: Of<K>) => Promise<void>;
} = {
  event: async (ports, namespace, { message }) => {
    const recorded = await events.read(ports, message.record);
    // What is no longer kept can be brought to nobody.
    if (recorded === undefined) return;
    const { key, event, replay } = recorded;
    const again = events.toMessage(namespace, replay?.key ?? key, event);
    await ports.bus.publish([{ ...again, ...(replay === undefined ? {} : { replay: replay.id }) }]);
  },
  tick: (ports, _namespace, { target, planned }) => startByClock(ports, target, planned),
  inbound: (ports, { name }, { event }) => takeIn(ports, { namespace: name, event }),
};

async function deliver(ports: EnginePorts, namespace: Namespace, one: failed.DeadLetter): Promise<void> {
  await AGAIN[one.delivery.kind](ports, namespace, one.delivery as never);
  await failed.remove(ports, namespace, one);
}

/**
 * Delivers again what failed for good, under its own id: whoever had it already does not take it twice. Throws
 * `not-found`.
 */
export async function redeliver(ports: EnginePorts, namespace: Namespace, id: string): Promise<void> {
  await deliver(ports, namespace, await failed.need(ports, namespace, id));
}

/** One that fails again stays, with the new reason; false for that. */
async function deliverOrKeep(ports: EnginePorts, namespace: Namespace, one: failed.DeadLetter): Promise<boolean> {
  try {
    await deliver(ports, namespace, one);
    return true;
  } catch (fault) {
    const error = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    await failed.add(ports, namespace.id, one.delivery, { failed: ports.clock.now(), tries: 1, error });
    return false;
  }
}

/** One request delivers so many again, and takes so long (milliseconds); API Gateway waits 29 seconds. */
const MOST_AT_ONCE = 1000;
const LONGEST_MS = 15_000;

export interface Redelivered {
  readonly redelivered: number;
  /** Those that failed again at once. */
  readonly failed: number;
  /** Those that are still there; ask again for the others. */
  readonly left: number;
}

/** Delivers all of a namespace again, at most a thousand; one that fails again stays. Ask until none is left. */
export async function redeliverAll(ports: EnginePorts, namespace: Namespace): Promise<Redelivered> {
  const begun = ports.clock.now();
  let [redelivered, faults] = [0, 0];
  for await (const page of failed.pages(ports, namespace)) {
    const open = page.filter((one) => one.failed <= begun);
    const results = await Promise.allSettled(open.map((one) => deliverOrKeep(ports, namespace, one)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      if (result.value) redelivered += 1;
      else faults += 1;
    }
    if (redelivered + faults >= MOST_AT_ONCE || ports.clock.now() - begun > LONGEST_MS) break;
  }
  return { redelivered, failed: faults, left: await failed.count(ports, namespace) };
}
