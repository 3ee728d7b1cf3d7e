import * as runs from '../../domain/runs/runs.ts';
import type { Parent } from '../../domain/runs/waits.ts';
import { cancel } from '../calls/cancel.ts';
import { handOver } from '../executions/continue-as-new.ts';
import type { KeeperPorts } from '../ports.ts';

/** A run that was stored and not started, or whose EXPRESS execution was lost, shows no change for this long. */
const NOT_STARTED_MS = 30_000;
const LOST_MS = 330_000;

const isStill = (run: runs.Run, now: number): boolean =>
  now - run.updated > (run.step === 0 ? NOT_STARTED_MS : LOST_MS);

/** A child that waits to be called while nobody is left to call it. */
async function endOrphan(ports: KeeperPorts, child: runs.Run, parent: Parent): Promise<void> {
  const caller = await runs.find(ports, parent.id);
  if (caller?.status !== 'pending') await cancel(ports, child, 'cancels.parent');
}

/**
 * Starts a new execution for a run that computes and that nobody seems to be running; one that waits is left to its
 * machine, and a child that nobody will call any more is ended. Harmless where somebody is at work: a step commits
 * once, whoever calls it.
 */
export async function repair(ports: KeeperPorts, run: runs.Run): Promise<void> {
  const { status, pause, brief, machine, parent } = run;
  const isCarried = pause?.isWaiting === true && !brief;
  if (status !== 'pending' || isCarried || !isStill(run, ports.clock.now())) return;
  if (machine === '' && parent !== undefined) return endOrphan(ports, run, parent);
  await handOver(ports, run);
}
