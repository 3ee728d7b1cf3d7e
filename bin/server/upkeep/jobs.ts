import * as jobs from '../../../lib/domain/instances/jobs.ts';
import { advanceAll, createdJobs } from '../../../lib/engine/requests/bulk/jobs.ts';
import type { Ports } from '../../../lib/ports/ports.ts';

const INTERVAL_MS = 1_000;

/**
 * Goes on with the jobs on many runs: those that an earlier process left, and each new one within a second; without any,
 * nothing is read. Returns a function that stops it and waits for the parts under way.
 */
export async function startJobs(ports: Ports): Promise<() => Promise<void>> {
  let underway: Promise<void> | undefined;
  let isStopped = false;
  let seen = createdJobs();
  let isOpen = (await jobs.open(ports)).length > 0;
  const pass = async (): Promise<void> => {
    seen = createdJobs();
    // After a failure there may be one.
    isOpen = true;
    isOpen = await advanceAll(ports, Number.POSITIVE_INFINITY, () => isStopped);
  };
  const timer = setInterval(() => {
    if (!isOpen && seen === createdJobs()) return;
    underway ??= pass()
      .catch((error: unknown) => console.error('the jobs could not go on; it is tried again in a second', error))
      .finally(() => {
        underway = undefined;
      });
  }, INTERVAL_MS).unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await underway;
  };
}
