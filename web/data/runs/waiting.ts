import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Listener } from '../../../clients/api/operations.ts';
import { every } from '../api/asking.ts';
import { call } from '../api/client.ts';
import { isWait } from '../events/events.ts';

const AGAIN_MS = 5000;

/** Runs that wait for events, by their ids; read again every few seconds while the component is shown. */
export function useListeningRuns(namespace: string): ReadonlySignal<ReadonlyMap<string, Listener>> {
  const waiting = useMemo(() => signal<ReadonlyMap<string, Listener>>(new Map()), []);
  useEffect(() => {
    const read = async () => {
      // Without it, these runs are shown as running.
      const reply = await call('listEventListeners', { namespace }).catch(() => undefined);
      if (reply === undefined) return;
      const runs = reply.results.filter(isWait);
      const next = new Map(runs.map((listener) => [listener.instance, listener]));
      const isSame = next.size === waiting.peek().size && [...next.keys()].every((id) => waiting.peek().has(id));
      if (!isSame) waiting.value = next;
    };
    void read();
    return every(AGAIN_MS, () => void read());
  }, [namespace, waiting]);
  return waiting;
}
