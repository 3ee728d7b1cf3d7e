import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type ApiError, toApiError } from './errors.ts';

/** An action of the user: its progress and its error. */
export interface Task {
  readonly isBusy: Signal<boolean>;
  readonly error: Signal<ApiError | undefined>;
  /** Performs the action; true if it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** A task of a component. */
export function useTask(): Task {
  const isBusy = useSignal(false);
  const error = useSignal<ApiError | undefined>(undefined);
  return useMemo(() => {
    const run = async (work: () => Promise<unknown>): Promise<boolean> => {
      isBusy.value = true;
      error.value = undefined;
      try {
        await work();
        return true;
      } catch (failure) {
        error.value = toApiError(failure);
        return false;
      } finally {
        isBusy.value = false;
      }
    };
    return { isBusy, error, run };
  }, [isBusy, error]);
}

/** Returns a function that sets a signal: for the callbacks of fields. */
export const into =
  <T>(signal: Signal<T>) =>
  (value: T): void => {
    signal.value = value;
  };
