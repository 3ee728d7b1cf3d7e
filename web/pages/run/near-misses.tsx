import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, filterQuery } from '../../data/api/client.ts';
import type { ExplanationReply, Listener } from '../../data/api/operations.ts';
import { waitingRun } from '../../data/events/events.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Time } from '../../parts/value/value.tsx';

interface NearMiss {
  readonly event: ExplanationReply['event'];
  readonly attribute: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** Events of the type that came while the run waited are looked through, the newest first. */
const MOST_EVENTS = 20;
const MOST_SHOWN = 3;

async function nearMissesOf(namespace: string, listener: Listener): Promise<readonly NearMiss[]> {
  const types = [...new Set(listener.events.map(({ type }) => type))];
  const misses: NearMiss[] = [];
  for (const val of types) {
    const filters = [
      { field: 'TYPE', type: 'CONTAINS', val },
      { field: 'CREATED', type: 'AFTER', val: listener.createdAt },
    ];
    const { events } = await call(
      'listEvents',
      { namespace },
      { query: { ...filterQuery(filters), limit: MOST_EVENTS } },
    );
    for (const { id } of events.results) {
      const { event, listeners } = await call('explainEvent', { namespace, event: id });
      const own = listeners.find((one) => waitingRun(one.listener) === listener.instance);
      if (own?.failed !== undefined) misses.push({ event, ...own.failed });
      if (misses.length >= MOST_SHOWN) return misses;
    }
  }
  return misses;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)) ?? 'nothing';

/** Events that came but were not taken, and which of their attributes differed. */
export function NearMisses({ namespace, listener }: { readonly namespace: string; readonly listener: Listener }) {
  const misses = useSignal<readonly NearMiss[]>([]);
  useEffect(() => {
    let isGone = false;
    const read = () => {
      nearMissesOf(namespace, listener).then(
        (found) => {
          if (!isGone) misses.value = found;
        },
        // The page says what it waits for without them.
        () => {},
      );
    };
    read();
    const timer = setInterval(() => !document.hidden && read(), 5000);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [namespace, listener, misses]);
  if (misses.value.length === 0) return null;
  return (
    <ul class="near-misses">
      {misses.value.map(({ event, attribute, expected, found }) => (
        <li key={event.id}>
          Near miss <Time at={event.receivedAt} />:{' '}
          <a class="link" href={addresses.event(namespace, event.id)}>
            {event.type}
          </a>{' '}
          had{' '}
          <code>
            {attribute}={shown(found)}
          </code>
          , not <code>{shown(expected)}</code>
        </li>
      ))}
    </ul>
  );
}
