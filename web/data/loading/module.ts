import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';

/** Delays between attempts, ms: a short loss of the connection is not a failure. */
const WAITS = [500, 1000, 2000, 4000];

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Loads code with retries. Throws the error of the last attempt. */
async function loadModule<T>(load: () => Promise<T>): Promise<T> {
  for (const wait of WAITS) {
    try {
      return await load();
    } catch {
      await rest(wait);
    }
  }
  return load();
}

/** Code that is loaded when a component is shown. */
export interface UsedModule<T> {
  /** Undefined until it is loaded. */
  readonly module: T | undefined;
  readonly error: ApiError | undefined;
}

/** Loads code when the component is shown. `load` must be the same function each time. */
export function useModule<T>(load: () => Promise<T>): UsedModule<T> {
  const module = useSignal<{ readonly loaded: T } | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  useEffect(() => {
    loadModule(load).then(
      (loaded) => {
        module.value = { loaded };
      },
      (failure: unknown) => {
        error.value = toApiError(failure);
      },
    );
  }, [load, module, error]);
  return { module: module.value?.loaded, error: error.value };
}
