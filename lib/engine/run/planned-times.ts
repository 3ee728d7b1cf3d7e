import type { ScheduledStart } from '../../compiler/plan/concurrency.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { derivedId, spreadId, timeOf } from '../../domain/storage/ids.ts';
import { nextTick, parseCron } from '../../time/cron/cron.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { MINUTE_MS } from '../../time/units.ts';

/** The id of the run that a planned time (milliseconds since 1970) of a workflow starts. */
export const runOfTick = ({ id }: { readonly id: string }, planned: number): string =>
  spreadId(derivedId(planned, id, 'cron', planned));

/**
 * The planned time of a run that was started for one, or that repeats such a run, milliseconds since 1970; undefined for
 * another run.
 */
export function plannedTimeOf({ id, rerunOf = id, workflowId }: Pick<Run, 'id' | 'rerunOf' | 'workflowId'>) {
  const time = timeOf(rerunOf);
  return runOfTick({ id: workflowId }, time) === rerunOf ? time : undefined;
}

/** A planned time counts as missed if its run does not start for so long, milliseconds. */
const LATE_MS = 5 * MINUTE_MS;

/** The planned time after another one. On AWS, intervals are not counted from 1970. */
function followingTime(text: string, planned: number): number | undefined {
  const cron = parseCron(text);
  if ('problem' in cron) return undefined;
  return cron.kind === 'interval' ? planned + cron.every : nextTick(cron, planned);
}

type Skips = (cron: string, planned: number, now: number) => string | undefined;

/** Why a missed time starts no run. */
const SKIPS: Readonly<Record<NonNullable<ScheduledStart['missed']>, Skips>> = {
  all: () => undefined,
  none: (_, planned, now) => `'missed' is none, and it is ${Math.floor((now - planned) / MINUTE_MS)} minutes late`,
  latest: (cron, planned, now) => {
    const next = followingTime(cron, planned);
    return next !== undefined && next <= now ? `'missed' is latest, and ${toTimestamp(next)} has passed` : undefined;
  },
};

/**
 * Why a planned time starts no run any more, by the field `missed` of the start; undefined if it starts one. Times are
 * milliseconds since 1970.
 */
export function missedReason({ missed, cron }: ScheduledStart, planned: number, now: number): string | undefined {
  return missed === undefined || now - planned <= LATE_MS ? undefined : SKIPS[missed](cron, planned, now);
}

/**
 * Throws `malformed` unless a time is a planned time of a workflow, and has passed. Times are milliseconds since 1970.
 */
export function needPlannedTime({ start }: Plan, path: string, planned: number, now: number): void {
  const problem = (text: string) => new ServiceError('malformed', text);
  if (start.type !== 'scheduled') {
    throw problem(`the clock does not start '${path}': its start has the type '${start.type}', not 'scheduled'`);
  }
  const at = toTimestamp(planned);
  const cron = parseCron(start.cron);
  if ('problem' in cron) throw problem(`the clock does not start '${path}': ${cron.problem}`);
  const next = nextTick(cron, planned - 1);
  if (next !== planned) {
    const after = next === undefined ? '' : `; the next one is ${toTimestamp(next)}`;
    throw problem(`'${path}' has no start at ${at} by its cron '${start.cron}'${after}`);
  }
  if (planned > now) throw problem(`${at} is in the future: the clock will start '${path}' then`);
}
