import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ServiceRecord } from '../../../clients/api/operations.ts';
import type { ApiError } from '../api/errors.ts';
import { followServices, type ServiceSource } from './source.ts';

/** The time after which the stream has sent all existing services. */
const SETTLED_MS = 400;

/** The services of a source, updated by the stream; undefined until they are read. */
export interface LiveServices {
  readonly list: Signal<readonly ServiceRecord[] | undefined>;
  readonly error: Signal<ApiError | undefined>;
}

/** Streams the services of a source while the component is shown. */
export function useServices(source: ServiceSource): LiveServices {
  const name = JSON.stringify(source);
  const live = useMemo((): LiveServices => ({ list: signal(undefined), error: signal(undefined) }), [name]);
  useEffect(() => {
    let known = new Map<string, ServiceRecord>();
    const show = () => {
      live.list.value = [...known.values()].toSorted((a, b) => a.info.name.localeCompare(b.info.name));
    };
    const timer = setTimeout(show, SETTLED_MS);
    const stop = followServices(source, {
      onFrame: ({ event, function: service }) => {
        if (event === 'DELETED') known.delete(service.serviceName);
        else known.set(service.serviceName, service);
        show();
      },
      // After a reconnect, the stream sends all services again.
      onOpen: () => {
        known = new Map();
      },
      onState: () => {},
      onError: (error) => {
        live.error.value = error;
      },
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [live]);
  return live;
}
