import { type Pass, reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import type { Ports } from '../../../lib/ports/ports.ts';

const INTERVAL_MS = 60_000;

/** A fault is logged: the next pass tries again. */
async function reconcileOnce(ports: Ports, pass: Pass): Promise<void> {
  await reconcile(ports, pass).catch((error: unknown) => {
    console.error('the reconciler could not keep every promise; it tries again in a minute', error);
  });
}

/**
 * Reconciles the work that an earlier process left, then once a minute the open work. To be called before requests are
 * served. Resolves after the first pass. Returns a function that stops it and waits for the pass under way.
 */
export async function startReconciling(ports: Ports): Promise<() => Promise<void>> {
  await reconcileOnce(ports, { isExclusive: true });
  let underway: Promise<void> | undefined;
  const timer = setInterval(() => {
    underway ??= reconcileOnce(ports, { isExclusive: false }).finally(() => {
      underway = undefined;
    });
  }, INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underway;
  };
}
