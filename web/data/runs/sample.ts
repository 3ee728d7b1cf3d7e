import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type ApiError, toApiError } from '../api/errors.ts';
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
      if (document.hidden) return;
      const to = Math.ceil((Date.now() + 1) / step) * step;
      try {
        const sample = await readSample(namespace, to - span, to);
        if (!isGone) shown.sample.value = sample;
      } catch (error) {
        if (!isGone) shown.error.value = toApiError(error);
      }
    };
    void read();
    const timer = setInterval(() => void read(), AGAIN_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [shown, namespace, span, step]);
  return shown;
}
