import { useMemo } from 'preact/hooks';
import type { Listener } from '../../../clients/api/operations.ts';
import { useLoad, useReloads } from '../api/live.ts';
import { isWait } from '../events/events.ts';

const AGAIN_MS = 5000;

/** Runs that wait for events, by their ids; read again every few seconds. Until the reply they are shown as running. */
export function useListeningRuns(namespace: string): ReadonlyMap<string, Listener> {
  const loaded = useLoad('listEventListeners', { namespace });
  useReloads(loaded, AGAIN_MS);
  const runs = (loaded.value.value?.results ?? []).filter(isWait);
  // The same map for the same runs, so that not each reply draws the lists anew.
  return useMemo(() => new Map(runs.map((one) => [one.instance, one])), [runs.map(({ instance }) => instance).join()]);
}
