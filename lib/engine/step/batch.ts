import { MAX_PART_DAYS } from '../../compiler/plan/execution.ts';
import type { Plan, StatePlan } from '../../compiler/plan/plan.ts';
import type { Pause } from '../../domain/runs/waits.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { failure, internalFailure, type StateFailure } from '../evaluation/failures.ts';
import type { Deadlines, Draft } from '../run/unit-of-work.ts';
import { Hold, type Signal } from '../run/work.ts';
import { type Next, resumeState, runState } from './state.ts';
import { nextTurn } from './turns.ts';

/** How a segment was left: the run is over, it waits (`draft.pause`), or it goes on later. */
export type Left =
  | Exclude<Next, { readonly to: string } | { readonly hold: unknown }>
  | { readonly end: 'pause' }
  | { readonly end: 'budget' };

/** A commit is one transaction of at most 100 writes. */
const MOST_WRITES = 60;
/** Log lines are text in memory until the commit. */
const MOST_LINES = 4000;
/** Other requests of the process get their turn after this long. */
const LONGEST_TURN_MS = 10;

const MS_OF_A_DAY = 86_400_000;

const DEFAULT_INTERRUPT = 'PT15M';
const DEFAULT_KILL = 'PT20M';
const AFTER_INTERRUPT = 'PT5M';

const at = (from: number, text: string): number => {
  const duration = parseDuration(text);
  if (duration === undefined) throw internalFailure(`'${text}' is not a duration`);
  return addDuration(from, duration);
};

/** When a run started at `from` is interrupted and killed (workflow-language reference, section 8). */
export function deadlinesOf(plan: Plan, from: number): Deadlines {
  const { interrupt, kill } = plan.timeouts;
  const soft = at(from, interrupt ?? DEFAULT_INTERRUPT);
  if (kill !== undefined) return { interrupt: soft, kill: at(from, kill) };
  return { interrupt: soft, kill: interrupt === undefined ? at(from, DEFAULT_KILL) : at(soft, AFTER_INTERRUPT) };
}

/** What ends the present state because the run's time is over, once. */
function timeout(draft: Draft, now: number): StateFailure | undefined {
  const { deadlines } = draft.tools;
  if (draft.raised !== undefined) return undefined;
  if (now >= deadlines.kill) return failure('cancels.timeout.hard', 'workflow timed out');
  if (now < deadlines.interrupt || draft.interrupted) return undefined;
  draft.interrupted = true;
  return failure('cancels.timeout.soft', 'operation timed out');
}

function needState(plan: Plan, id: string): StatePlan {
  const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
  if (state === undefined) throw internalFailure(`the plan has no state '${id}'`);
  return state;
}

const isSpent = (draft: Draft): boolean =>
  draft.writes >= MOST_WRITES || draft.lines >= MOST_LINES || draft.ports.clock.now() >= draft.tools.until;

function hold(draft: Draft, { wait }: Hold): Left {
  const { run, entered, origin, at } = draft;
  const part = draft.ports.clock.now() + MAX_PART_DAYS * MS_OF_A_DAY;
  const wake = Math.min(wait.until, draft.deadline, part);
  draft.pause = { ...wait, number: run.pauses + 1, state: at, entered, origin, wake };
  return wait.isWaiting ? { end: 'pause' } : { end: 'budget' };
}

/** The time as it must at least be: the machine that comes back when it was told to has the better clock. */
function timeOf({ ports, pause }: Draft, signal: Signal): number {
  const now = ports.clock.now();
  return pause?.isWaiting && TIMED.has(signal.kind) ? Math.max(now, pause.wake) : now;
}

const TIMED: ReadonlySet<Signal['kind']> = new Set(['due', 'late']);

/** A wait that is longer than a machine can wait in one go is not over with its first part. */
const isPartOver = ({ wake, until }: Pause, { kind }: Signal): boolean => kind === 'late' && wake < until;

/** The state that is begun or gone on with next, done. */
async function runNext(draft: Draft, signal: Signal): Promise<Next> {
  const interruption = timeout(draft, timeOf(draft, signal));
  const state = needState(draft.tools.plan, draft.at);
  const { pause } = draft;
  if (pause === undefined) return runState(draft, state, interruption);
  if (interruption === undefined && isPartOver(pause, signal)) return { hold: new Hold(pause) };
  return resumeState(draft, state, pause, signal, interruption);
}

/**
 * Runs states one after the other until the run ends, waits, or must commit: it begins where the run stands, with the
 * state that it is in the middle of, if any. Commits nothing.
 */
export async function runSegment(draft: Draft, signal: Signal): Promise<Left> {
  const { clock } = draft.ports;
  let turn = clock.now();
  for (let brought = signal; ; brought = { kind: 'due' }) {
    const next = await runNext(draft, brought);
    if ('hold' in next) return hold(draft, next.hold);
    if (!('to' in next)) return next;
    draft.at = next.to;
    if (isSpent(draft)) return { end: 'budget' };
    if (clock.now() - turn < LONGEST_TURN_MS) continue;
    await nextTurn();
    turn = clock.now();
  }
}
