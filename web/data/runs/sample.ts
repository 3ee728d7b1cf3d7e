import { type Loaded, useRead, useReloads } from '../api/live.ts';
import { type RunSample, readSample } from './statistics.ts';

const AGAIN_MS = 15_000;
const HOUR = 3_600_000;

/** The runs of a span, milliseconds, up to the end of the present step; polled. */
export function useSample(namespace: string, span: number, step = HOUR): Loaded<RunSample> {
  const loaded = useRead(['sample', namespace, span], () => {
    const to = Math.ceil((Date.now() + 1) / step) * step;
    return readSample(namespace, to - span, to);
  });
  useReloads(loaded, AGAIN_MS);
  return loaded;
}
