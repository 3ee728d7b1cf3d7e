import * as runs from '../domain/runs.ts';
import { Conflict } from '../ports.ts';
import type { EnginePorts } from './draft.ts';

/** A run that was stored and not started, or whose EXPRESS execution was lost, shows no change for this long. */
const NOT_STARTED_MS = 30_000;
const LOST_MS = 330_000;

const isStill = (run: runs.Run, now: number): boolean =>
  now - run.updated > (run.step === 0 ? NOT_STARTED_MS : LOST_MS);

/**
 * Starts a new execution for a run that nobody seems to be running. Harmless where somebody is: a step commits once,
 * whoever calls it.
 */
export async function repair(ports: EnginePorts, run: runs.Run): Promise<void> {
  if (run.status !== 'pending' || run.machine === '' || !isStill(run, ports.clock.now())) return;
  const executions = run.executions + 1;
  try {
    await runs.commit(ports, { ...run, seq: run.seq + 1, updated: ports.clock.now(), executions });
  } catch (error) {
    if (error instanceof Conflict) return;
    throw error;
  }
  await ports.executions.start(run.machine, `${run.id}-${executions}`, { run: run.id });
}
