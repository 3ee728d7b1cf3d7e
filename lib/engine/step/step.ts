import * as runs from '../../domain/runs/runs.ts';
import type { Pause } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ConflictError } from '../../ports/table.ts';
import { type CallInput, makeCall } from '../calls/call-task.ts';
import { serve } from '../containers/serving.ts';
import { beginListening, type ListenInput } from '../events/listening.ts';
import { handOver, isOutgrown } from '../executions/continue-as-new.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { conclude, toSeconds } from '../run/endings.ts';
import { sendAll } from '../run/outbox.ts';
import { advance, runInPlace } from './advance.ts';
import { type Brought, toSignal } from './signals.ts';

/** What a state machine hands to the steps function: go on with the run, or make one of its calls. */
export type StepInput = SegmentInput | CallInput | ListenInput;

interface SegmentInput {
  readonly run: string;
  /** The name of the execution that asks. */
  readonly execution?: string;
  /** The number of the pause that is over. */
  readonly resume?: number;
  /** What the wait brought. */
  readonly with?: Brought;
}

/** Where the machine goes next; `next` is empty at the end. Every field is there, since a machine may look at each. */
export interface Outcome {
  readonly next: string;
  readonly pause: number;
  readonly seconds: number;
  readonly calls?: readonly object[];
}

const OVER: Outcome = { next: '', pause: 0, seconds: 0 };

/** Tells the state machine to call again: the retry that every segment has for this name. */
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

/** Whether what a step throws is what it has to say: the machine goes on by it, or ends as the run did. */
export const isAnswer = (error: unknown): boolean => error instanceof Again || error instanceof Ended;

/** What a log says of a run. */
export async function aboutRun(ports: EnginePorts, instance: string): Promise<Readonly<Record<string, string>>> {
  // What is told of a fault may not fail as well.
  const run = await runs.find(ports, instance).catch(() => undefined);
  return run === undefined ? { instance } : { instance, namespace: run.namespace, workflow: run.path };
}

/** A segment commits at least this often, so that little is done again after a crash and progress shows. */
const CHECKPOINT_MS = 2_000;
/** One call goes on for this long over many commits. */
const CALL_MS = 60_000;

function report(run: runs.Run): Outcome {
  if (run.status === 'failed' || run.status === 'crashed') throw new Ended(run);
  return OVER;
}

function outcomeOf(ports: EnginePorts, { state, number, wake, calls }: Pause): Outcome {
  const seconds = Math.max(toSeconds(wake - ports.clock.now()), 0);
  const outcome = { next: state, pause: number, seconds };
  if (calls === undefined) return outcome;
  const timed = Math.max(seconds, 1);
  return { ...outcome, seconds: timed, calls: calls.waiting.map((call) => ({ ...call, seconds: timed })) };
}

const isStale = (run: runs.Run, { execution }: SegmentInput): boolean =>
  execution !== undefined && run.machine !== '' && execution !== runs.executionOf(run);

/** Where a paused run's machine goes: to the pause, or out of this execution into another one. */
async function leave(ports: EnginePorts, run: runs.Run, pause: Pause): Promise<Outcome> {
  if (isOutgrown(run)) {
    await handOver(ports, run);
    return OVER;
  }
  return outcomeOf(ports, pause);
}

/**
 * One call of the steps function by the run's machine. A call that comes twice is harmless: a step commits only on the
 * sequence number it read, a run that is over or has gone on answers its stored outcome, and a pause is left only by
 * the call that names it.
 */
async function goOn(ports: RunnerPorts, input: SegmentInput): Promise<Outcome> {
  const end = ports.clock.now() + CALL_MS;
  let run = await runs.find(ports, input.run);
  for (;;) {
    if (run === undefined) return OVER;
    if (run.status !== 'pending') {
      // Whoever committed the end may have got no further.
      await sendAll(ports, run);
      return report(await conclude(ports, run));
    }
    if (run.service !== undefined) return report(await serve(ports, run, false));
    if (isStale(run, input)) {
      await ports.executions.start(run.machine, runs.executionOf(run), { run: run.id });
      return OVER;
    }
    const { pause } = run;
    if (pause?.isWaiting && pause.number !== input.resume) {
      await sendAll(ports, run);
      return leave(ports, run, pause);
    }
    if (ports.clock.now() >= end) throw new Again('the run goes on in another call');
    run = await advanceOnce(ports, run, input);
  }
}

async function advanceOnce(ports: RunnerPorts, run: runs.Run, input: SegmentInput): Promise<runs.Run | undefined> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  try {
    return await advance(ports, run, revision, ports.clock.now() + CHECKPOINT_MS, toSignal(run.pause, input.with));
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const now = await runs.find(ports, run.id);
    if (now?.status === 'pending' && !now.pause?.isWaiting) throw new Again('another call of the same run is at work');
    return now;
  }
}

/** One call of the steps function. */
export async function step(ports: RunnerPorts, input: StepInput): Promise<Outcome> {
  if ('call' in input) await makeCall(ports, input, runInPlace(ports));
  else if ('listen' in input) await beginListening(ports, input);
  else return goOn(ports, input);
  return OVER;
}
