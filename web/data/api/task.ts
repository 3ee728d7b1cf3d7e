import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type ApiError, toApiError } from './errors.ts';

/** Work that a person starts: it is not started twice at once, and its error is shown. */
export interface Task {
  readonly isBusy: Signal<boolean>;
  readonly error: Signal<ApiError | undefined>;
  /** Does the work; true when it succeeded. */
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

/** A function that puts a value into a signal: for fields. */
export const into =
  <T>(signal: Signal<T>) =>
  (value: T): void => {
    signal.value = value;
  };
