import { addDuration, parseDuration } from '../../time/durations.ts';
import { internalFailure } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type Perform, type Resume } from '../run/work.ts';

function wake(draft: Draft): undefined {
  draft.log('Waking up to retry.');
  draft.log('Waking up from sleep.');
}

/** Waits for a duration; none at all is no wait. */
export const sleep: Perform<'sleep'> = async (draft, work) => {
  const duration = parseDuration(work.duration);
  if (duration === undefined) throw internalFailure(`'${work.duration}' is not a duration`);
  const now = draft.ports.clock.now();
  const until = addDuration(now, duration);
  return until <= now ? wake(draft) : new Hold({ isWaiting: true, until });
};

/** The machine's clock counts: it waited until `wake`. A long wait has several parts. */
export const wakeUp: Resume<'sleep'> = async (draft, _work, _state, { until, wake: reached }) =>
  until > Math.max(draft.ports.clock.now(), reached) ? new Hold({ isWaiting: true, until }) : wake(draft);
