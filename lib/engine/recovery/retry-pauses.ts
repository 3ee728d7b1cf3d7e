import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import { actionsOf } from '../../compiler/plan/traits.ts';
import type * as runs from '../../domain/runs/runs.ts';
import type { WaitingCall } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { nextAttemptOf } from '../delivery/call-ends.ts';
import { deliver } from '../delivery/deliver.ts';
import { armRetry, isTimerLost, LOST_MS } from '../delivery/retry-timers.ts';
import { continueAsNew } from '../machines/continue-as-new.ts';
import { callTask, waitOf } from '../machines/detached-waits.ts';
import type { DeliveryPorts } from '../ports.ts';
import { type CallingRun, isCalling, newestAttempt } from './waiting-calls.ts';

/** How many iterations of a `Map` begin at once: further calls wait for their turn, and the time of their tasks is not known. */
const MAX_AT_ONCE = 40;

/** How the calls of a state are repeated. */
interface Repetitions {
  /** Its calls may have retries. */
  readonly hasRetries: boolean;
  /** The tasks of its calls have begun with the wait. */
  readonly beginAtOnce: boolean;
}

async function repetitionsOf(ports: DeliveryPorts, { workflowId, revision, wait }: CallingRun): Promise<Repetitions> {
  const plan = revisions.planOf(await revisions.need(ports, workflowId, revision));
  const work = Object.hasOwn(plan.states, wait.state) ? plan.states[wait.state]?.work : undefined;
  const hasRetries = work !== undefined && actionsOf(work).some(({ retries }) => retries !== undefined);
  const hasWidth = work?.do === 'each' && work.width !== undefined;
  return { hasRetries, beginAtOnce: !hasWidth && wait.calls.waiting.length <= MAX_AT_ONCE };
}

/** When the timer of the first attempt that a machine makes counts as lost: the one before it failed in place. */
function firstLostAt({ updated, executionBegan }: CallingRun, { s = 0 }: WaitingCall): number {
  return Math.max(updated, executionBegan) + s * 1000 + LOST_MS;
}

const hasTimer = ({ s = 0 }: WaitingCall): boolean => s * 1000 >= MIN_TIMER_MS;

/** Whether that timer is lost. */
const isFirstLost = (run: CallingRun, call: WaitingCall, now: number): boolean =>
  hasTimer(call) && now >= firstLostAt(run, call);

/**
 * Sets the timer again of a detached wait that pauses before its first attempt: its execution may have been lost before it did.
 * Returns false for a wait without such a pause, and where no timer can be set. Safe to repeat.
 */
export async function keepPause(ports: DeliveryPorts, run: CallingRun, call: WaitingCall): Promise<boolean> {
  const lostAt = firstLostAt(run, call);
  if (!hasTimer(call) || ports.clock.now() >= lostAt) return false;
  const { i, k } = call;
  const task = callTask(waitOf(run, run.wait), { i, k, seconds: 0 });
  return armRetry(ports, run, task, { due: lostAt - LOST_MS });
}

/** Delivers the end of an attempt again whose timer is lost: its machine makes the next one. A task that is over stays as it is. */
async function endPause(ports: DeliveryPorts, caller: CallingRun, failed: runs.Run): Promise<void> {
  const next = nextAttemptOf(failed, ports.settings.brand);
  if (next === undefined || next.delay < MIN_TIMER_MS) return;
  if (isTimerLost(failed, next, ports.clock.now())) await deliver(ports, failed, { caller });
}

/**
 * Resumes the calls of a run whose pause before another attempt is over, although no timer has rung: their tasks end, and the
 * machine makes the attempts. Where the token of a task is not stored, a new execution makes the calls again. Returns whether
 * it did the latter. Safe to repeat, and for calls without such a pause.
 */
export async function resumeLostPauses(ports: DeliveryPorts, run: runs.Run): Promise<boolean> {
  if (!isCalling(run)) return false;
  const { hasRetries, beginAtOnce } = await repetitionsOf(ports, run);
  if (!hasRetries) return false;
  let isUnbegun = false;
  for (const call of run.wait.calls.waiting) {
    const attempt = await newestAttempt(ports, run, call);
    if (attempt !== undefined) await endPause(ports, run, attempt);
    else isUnbegun ||= beginAtOnce && isFirstLost(run, call, ports.clock.now());
  }
  if (isUnbegun) await continueAsNew(ports, run);
  return isUnbegun;
}
