import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { every } from '../api/asking.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { isPassing } from '../api/reach.ts';
import { type RunSample, readSample } from './statistics.ts';

const AGAIN_MS = 15_000;
const HOUR = 3_600_000;

/** The last so many milliseconds, ended by the next whole step, read again every few seconds. */
export function useSample(
  namespace: string,
  span: number,
  step = HOUR,
): { readonly sample: Signal<RunSample | undefined>; readonly error: Signal<ApiError | undefined> } {
  const shown = useMemo(
    () => ({ sample: signal<RunSample | undefined>(undefined), error: signal<ApiError | undefined>(undefined) }),
    [namespace, span],
  );
  useEffect(() => {
    let isGone = false;
    const read = async () => {
      const to = Math.ceil((Date.now() + 1) / step) * step;
      try {
        const sample = await readSample(namespace, to - span, to);
        if (isGone) return;
        shown.sample.value = sample;
        shown.error.value = undefined;
      } catch (error) {
        const failure = toApiError(error);
        const isKept = shown.sample.peek() !== undefined && isPassing(failure);
        if (!isGone && !isKept) shown.error.value = failure;
      }
    };
    void read();
    const stop = every(AGAIN_MS, () => void read());
    return () => {
      isGone = true;
      stop();
    };
  }, [shown, namespace, span, step]);
  return shown;
}
