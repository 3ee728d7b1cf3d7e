import * as runs from '../../domain/runs/runs.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import type { Write } from '../../ports/table.ts';
import type { ExecutionHandle } from '../machines/executions.ts';
import type { EnginePorts } from '../ports.ts';

/** A run that is to begin, and what becomes of it now. */
export interface Admission {
  readonly run: runs.Run;
  /**
   * `admitted`: it begins. `notAdmitted`: this call has stored it in the queue, or as failed because it was refused a place.
   * `known`: it was stored before by the same cause.
   */
  readonly verdict: 'admitted' | 'notAdmitted' | 'known';
}

/** A run that asks to begin. */
export interface Start {
  readonly run: runs.Run;
  /** What counts its start, in the transaction by which it begins or is queued. */
  readonly writes: readonly Write[];
  /** The execution in which it begins; absent: it begins here, or its caller starts one. */
  readonly execution: ExecutionHandle | undefined;
}

/** Commits the run of a start as `next`. An admission that is `known`: another process has stored or changed the run. */
export async function commitStart(
  ports: EnginePorts,
  { run, writes }: Start,
  {
    next,
    verdict,
    more = [],
  }: { readonly next: runs.Run; readonly verdict: 'admitted' | 'notAdmitted'; readonly more?: Write[] },
): Promise<Admission> {
  const before = runs.isQueued(run) ? 'queued' : 'pending';
  const commit = async (): Promise<Admission> => {
    return { run: await runs.commit(ports, { ...next, seq: run.seq + 1 }, [...writes, ...more], before), verdict };
  };
  return onConflict(commit(), async (conflict) => {
    const stored = await runs.find(ports, run.id);
    if (stored === undefined || stored.seq === run.seq) throw conflict;
    return { run: stored, verdict: 'known' };
  });
}
