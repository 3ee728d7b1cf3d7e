import type { ResumeSignal } from '../../compiler/emit/task-protocol.ts';
import { MAX_PART_DAYS } from '../../compiler/plan/execution.ts';
import type { Plan, StatePlan } from '../../compiler/plan/plan.ts';
import type { RunEnd } from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { internalFailure } from '../evaluation/failures.ts';
import { partitionFor } from '../run/commit/listener-writes.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { Suspend } from '../run/suspension.ts';
import { setCancelOn } from './cancel-on.ts';
import { timeoutFailure } from './deadlines.ts';
import { inputFailure } from './input.ts';
import { setLabels } from './labels.ts';
import { limitFailure } from './run-limits.ts';
import { resumeState, runState } from './state.ts';
import { beforeEnd, type Next } from './transitions.ts';

/** How a batch ends: with the run, at a wait (`unit.wait`), or at a checkpoint, after which the run goes on. */
export type BatchEnd = RunEnd | { readonly end: 'wait' } | { readonly end: 'checkpoint' };

/** A commit is one transaction of at most 100 writes. */
const MAX_WRITES = 60;
/** Log lines are text in memory until the commit. */
const MAX_LINES = 4000;

const MS_OF_A_DAY = 86_400_000;

/**
 * Runs a batch: states one after the other until the run ends, waits, or must commit. It begins where the run stands,
 * with the state that was suspended if there is one; `signal` resumes that. Commits nothing.
 */
export async function runBatch(unit: StepUnit, signal: ResumeSignal): Promise<BatchEnd> {
  const { ports, run } = unit;
  const { processor } = ports;
  await processor?.takeTurn(run.namespace);
  await setLabels(unit);
  const failed = inputFailure(unit) ?? (await setCancelOn(unit));
  if (failed !== undefined) {
    const next = beforeEnd(unit, failed);
    if (!('to' in next)) return next;
    unit.at = next.to;
  }
  for (let current = signal; ; current = { kind: 'due' }) {
    const next = await runNext(unit, current);
    if ('suspend' in next) return suspend(unit, next.suspend);
    if (!('to' in next)) return next;
    unit.at = next.to;
    if (mustCommit(unit)) return { end: 'checkpoint' };
    if (processor?.mayCompute(run.namespace) === false) await processor.takeTurn(run.namespace);
  }
}

/** Runs the next state, or resumes the one that was suspended. */
async function runNext(unit: StepUnit, signal: ResumeSignal): Promise<Next> {
  const interruption = timeoutFailure(unit, timeOf(unit, signal));
  const state = needState(unit.tools.plan, unit.at);
  const { wait } = unit;
  if (wait === undefined) return runState(unit, state, interruption ?? limitFailure(unit));
  if (interruption === undefined && isPartOver(wait, signal)) return { suspend: new Suspend(wait) };
  return resumeState(unit, state, { wait, signal }, interruption);
}

function suspend(unit: StepUnit, { wait }: Suspend): BatchEnd {
  const { run, entered, origin, at } = unit;
  const endOfPart = unit.ports.clock.now() + MAX_PART_DAYS * MS_OF_A_DAY;
  const wake = Math.min(wait.until, unit.deadline, endOfPart);
  const listening = wait.listening && { ...wait.listening, ...partitionFor(run) };
  const how = listening === undefined ? wait : { ...wait, listening };
  unit.wait = { ...how, number: run.waitCount + 1, state: at, entered, origin, wake };
  return { end: wait.isWaiting ? 'wait' : 'checkpoint' };
}

const mustCommit = (unit: StepUnit): boolean =>
  unit.commitSize >= MAX_WRITES || unit.logSize >= MAX_LINES || unit.ports.clock.now() >= unit.tools.until;

/** The signals by which a machine reports that it has waited until `wake`. */
const TIME_SIGNALS: ReadonlySet<ResumeSignal['kind']> = new Set(['due', 'timedOut']);

/** The present time, at least the one until which the machine has waited: the clocks may differ. */
function timeOf({ ports, wait }: StepUnit, signal: ResumeSignal): number {
  const now = ports.clock.now();
  return wait?.isWaiting && TIME_SIGNALS.has(signal.kind) ? Math.max(now, wait.wake) : now;
}

/** Whether only a part of a wait is over: a wait that is longer than a machine can wait has several. */
const isPartOver = ({ wake, until }: Wait, { kind }: ResumeSignal): boolean => kind === 'timedOut' && wake < until;

function needState(plan: Plan, id: string): StatePlan {
  const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
  if (state === undefined) throw internalFailure(`the plan has no state '${id}'`);
  return state;
}
