import type * as runs from '../domain/runs.ts';
import type { EnginePorts } from './draft.ts';
import { handOver } from './hand-over.ts';

/** A run that was stored and not started, or whose EXPRESS execution was lost, shows no change for this long. */
const NOT_STARTED_MS = 30_000;
const LOST_MS = 330_000;

const isStill = (run: runs.Run, now: number): boolean =>
  now - run.updated > (run.step === 0 ? NOT_STARTED_MS : LOST_MS);

/**
 * Starts a new execution for a run that computes and that nobody seems to be running; one that waits is left to its
 * machine. Harmless where somebody is at work: a step commits once, whoever calls it.
 */
export async function repair(ports: EnginePorts, run: runs.Run): Promise<void> {
  const isWaiting = run.pause?.isWaiting === true;
  if (run.status !== 'pending' || isWaiting || run.machine === '' || !isStill(run, ports.clock.now())) return;
  await handOver(ports, run);
}
