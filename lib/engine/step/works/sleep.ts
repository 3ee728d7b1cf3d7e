import { addDuration, parseDuration } from '../../../time/durations.ts';
import { internalFailure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { Suspend } from '../../run/suspension.ts';
import type { Perform, Resume } from './work.ts';

function wakeUp(unit: StepUnit): undefined {
  unit.log('Waking up to retry.');
  unit.log('Waking up from sleep.');
}

/** Waits for a duration; one of zero or less does not wait. */
export const sleep: Perform<'sleep'> = async (unit, work) => {
  const duration = parseDuration(work.duration);
  if (duration === undefined) throw internalFailure(`'${work.duration}' is not a duration`);
  const now = unit.ports.clock.now();
  const until = addDuration(now, duration);
  return until <= now ? wakeUp(unit) : new Suspend({ isWaiting: true, until });
};

/** A long wait has several parts. The machine's clock counts: it has waited until `wake`. */
export const resumeSleep: Resume<'sleep'> = async (unit, _work, { wait: { until, wake } }) =>
  until > Math.max(unit.ports.clock.now(), wake) ? new Suspend({ isWaiting: true, until }) : wakeUp(unit);
