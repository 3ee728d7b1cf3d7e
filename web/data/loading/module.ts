import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';

/** Waits between attempts, ms: a connection that is lost for a moment is no failure yet. */
const WAITS = [500, 1000, 2000, 4000];

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Loads code, and tries again where the connection is lost meanwhile. Throws the error of the last attempt. */
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

/** Code that is loaded when a component that needs it is shown. */
export interface UsedModule<T> {
  /** Undefined until it has come. */
  readonly module: T | undefined;
  readonly error: ApiError | undefined;
}

/** Loads code when the component is shown. `load` is the same function each time. */
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
