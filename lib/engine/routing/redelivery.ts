import * as failed from '../../domain/events/dead-letters.ts';
import * as events from '../../domain/events/events.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { receiveInbound } from '../events/inbound.ts';
import type { RunnerPorts } from '../ports.ts';
import { startByClock } from './starts.ts';

type Kind = failed.Delivery['kind'];
type DeliveryOf<K extends Kind> = Extract<failed.Delivery, { readonly kind: K }>;
type Redeliver<K extends Kind> = (ports: RunnerPorts, namespace: Namespace, delivery: DeliveryOf<K>) => Promise<void>;

const REDELIVER: { readonly [K in Kind]: Redeliver<K> } = {
  event: async (ports, namespace, { message }) => {
    const recorded = await events.read(ports, message.record);
    // An event that is not kept any more cannot be delivered.
    if (recorded === undefined) return;
    const { key, event, replay } = recorded;
    const again = events.toMessage(namespace, replay?.key ?? key, event);
    await ports.bus.publish([{ ...again, ...(replay === undefined ? {} : { replay: replay.id }) }]);
  },
  tick: (ports, _namespace, { target, planned }) => startByClock(ports, target, planned, { isForced: true }),
  inbound: (ports, { name }, { event }) => receiveInbound(ports, { namespace: name, event }),
};

async function deliver(
  ports: RunnerPorts,
  namespace: Namespace,
  { delivery }: Pick<failed.DeadLetter, 'delivery'>,
): Promise<void> {
  await (REDELIVER[delivery.kind] as Redeliver<Kind>)(ports, namespace, delivery);
}

/**
 * Delivers a dead letter again, under its own id: a receiver that has it already does not process it twice. Throws
 * `not-found`.
 */
export async function redeliver(ports: RunnerPorts, namespace: Namespace, id: string): Promise<void> {
  const deadLetter = await failed.need(ports, namespace, id);
  await deliver(ports, namespace, deadLetter);
  await failed.remove(ports, namespace, deadLetter);
}

/** A dead letter that fails again stays, with the new error. Returns whether it was delivered. */
async function deliverOrKeep(
  ports: RunnerPorts,
  namespace: Namespace,
  deadLetter: failed.DeadLetter,
): Promise<boolean> {
  try {
    await deliver(ports, namespace, deadLetter);
    await failed.remove(ports, namespace, deadLetter);
    return true;
  } catch (fault) {
    const error = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    await failed.add(ports, namespace.id, deadLetter.delivery, { failed: ports.clock.now(), tries: 1, error });
    return false;
  }
}

/** The most dead letters, and the longest time, of one request; API Gateway waits 29 seconds. */
const MAX_PER_REQUEST = 1000;
const MAX_REQUEST_MS = 15_000;

export interface Redelivered {
  readonly redelivered: number;
  /** Those that failed again. */
  readonly failed: number;
  /** Those that are left; another request delivers them. */
  readonly left: number;
}

/** Delivers the dead letters of a namespace again, a thousand at most; those that fail again stay. Repeat it for the rest. */
export async function redeliverAll(ports: RunnerPorts, namespace: Namespace): Promise<Redelivered> {
  const begun = ports.clock.now();
  let [redelivered, faults] = [0, 0];
  for await (const page of failed.pages(ports, namespace)) {
    const open = page.filter((deadLetter) => deadLetter.failed <= begun);
    const results = await Promise.allSettled(open.map((deadLetter) => deliverOrKeep(ports, namespace, deadLetter)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      if (result.value) redelivered += 1;
      else faults += 1;
    }
    if (redelivered + faults >= MAX_PER_REQUEST || ports.clock.now() - begun > MAX_REQUEST_MS) break;
  }
  return { redelivered, failed: faults, left: await failed.count(ports, namespace) };
}
