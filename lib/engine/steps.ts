import * as revisions from '../domain/revisions.ts';
import * as runs from '../domain/runs.ts';
import { Conflict } from '../ports.ts';
import { Draft, type EnginePorts } from './draft.ts';
import { announce } from './endings.ts';
import { type Left, runSegment } from './segment.ts';

/** What a state machine hands to the steps function. */
export interface StepInput {
  readonly run: string;
}

/** Tells the state machine to call again: the retry that every task has for this name. */
export class Again extends Error {
  override readonly name = 'Weft.Again';
}

/** Ends the execution with the run's error, so that the console shows it. */
class Ended extends Error {
  override readonly name: string;
  constructor({ code, message }: runs.Failure) {
    super(message);
    this.name = code;
  }
}

/** A segment commits at least this often, so that little is done again after a crash and progress shows. */
const CHECKPOINT_MS = 2_000;
/** One call goes on for this long over many commits. */
const CALL_MS = 60_000;

function report(run: runs.Run): Record<string, never> {
  if (run.status !== 'pending') announce(run.id);
  if (run.status === 'failed' || run.status === 'crashed') throw new Ended(run);
  return {};
}

const outcomeOf = (left: Left): Partial<Pick<runs.Run, 'status' | 'code' | 'message'>> => {
  if (left.end === 'budget') return {};
  if (left.end === 'complete') return { status: 'complete' };
  return { status: left.end, code: left.code, message: left.message };
};

/** Runs a segment and commits it once. Throws Conflict when another call committed first; nothing is written then. */
export async function advance(ports: EnginePorts, run: runs.Run, until: number): Promise<runs.Run> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  if (revision.plan === undefined) throw new Error(`revision ${revision.id} has no plan`);
  const draft = new Draft(ports, run);
  const left = await runSegment(draft, revision.plan, { until });
  const settled = await draft.settle(outcomeOf(left));
  const committed = await runs.commit(ports, settled.run, settled.writes);
  if (committed.status !== 'pending') announce(committed.id);
  return committed;
}

/**
 * One call of the steps function. A call that comes twice is harmless: a step commits only on the sequence number it
 * read, and a run that is over answers its stored outcome.
 */
export async function step(ports: EnginePorts, input: StepInput): Promise<Record<string, never>> {
  const end = ports.clock.now() + CALL_MS;
  let run = await runs.find(ports, input.run);
  while (run?.status === 'pending') {
    if (ports.clock.now() >= end) throw new Again('the run goes on in another call');
    try {
      run = await advance(ports, run, ports.clock.now() + CHECKPOINT_MS);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      run = await runs.find(ports, input.run);
      if (run?.status === 'pending') throw new Again('another call of the same run is at work');
    }
  }
  return run === undefined ? {} : report(run);
}
