import { DEFAULT_RUN_LIMITS, type RunLimits } from '../../domain/run-limits.ts';
import { failure, type StateError, uncatchableFailure } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';

/** How much more a run may use that catches the failure of its limit, so that it can end in good order. */
const graceOf = (limit: number): number => Math.ceil(limit / 10);

/** How many transitions are named, which show a loop. */
const MAX_SHOWN = 3;

const CODES = { transitions: 'limits.transitions', logBytes: 'limits.log' } as const satisfies Record<
  keyof RunLimits,
  string
>;

const MESSAGES: { readonly [N in keyof RunLimits]: (limit: number) => string } = {
  transitions: (limit) => `the run has entered ${limit} states, the limit of a run in its namespace`,
  logBytes: (limit) => `the log of the run has ${limit} bytes, the limit of a run in its namespace`,
};

/**
 * The failure of the next state when the run has exceeded a limit. Each limit can be caught once; the run fails at once
 * when it goes on for a tenth of the limit.
 */
export function limitFailure(unit: StepUnit): StateError | undefined {
  return exceeded(unit, 'transitions', unit.step) ?? exceeded(unit, 'logBytes', unit.logBytes);
}

function exceeded(unit: StepUnit, name: keyof RunLimits, amount: number): StateError | undefined {
  const limit = unit.run.settings.limits?.[name] ?? DEFAULT_RUN_LIMITS[name];
  if (amount < limit) return undefined;
  const [code, message] = [CODES[name], MESSAGES[name](limit)];
  const isOver = amount >= limit + graceOf(limit);
  if (!isOver && unit.exceeded.has(name)) return undefined;
  const hints = [...busiestHint(unit), `the namespace can set another limit: {"limits": {"${name}": …}}`];
  if (isOver) return uncatchableFailure(code, message, { hints });
  unit.exceeded.add(name);
  return failure(code, message, { hints });
}

/** The transitions that a run made most often: where it goes round. */
function busiestHint({ tally }: StepUnit): string[] {
  const busiest = tally.transitions.toSorted((a, b) => b.times - a.times).slice(0, MAX_SHOWN);
  if (busiest.length === 0) return [];
  const shown = busiest.map(({ from, to, times }) => `'${from}' to '${to}' ${times} times`);
  return [`the run went most often from ${shown.join(', from ')}`];
}
