import { isDeepStrictEqual } from 'node:util';
import type { Plan, Work } from '../../compiler/plan/plan.ts';
import { actionsOf } from '../../compiler/plan/traits.ts';
import type { RecordedStep } from '../../domain/runs/records.ts';
import type * as runs from '../../domain/runs/runs.ts';
import type { CallingVisit, ReusedCalls } from '../../domain/runs/waits.ts';
import { elementsOf } from '../calls/elements.ts';
import { StateError } from '../evaluation/failures.ts';
import { onAccountOf } from '../evaluation/tenants.ts';

type Data = Readonly<Record<string, unknown>>;

/** A state as a run visited it, or as a repetition will: by the plan, with the data at its entry. */
export interface Entry {
  readonly plan: Plan;
  readonly state: string;
  readonly data: Data;
}

/** How many earlier visits of a state a chain of repetitions remembers. */
const MAX_VISITS = 20;

/** The visits whose calls a repetition takes over: that one, and those that it took over itself. */
function visitsOf({ id, reuse }: runs.Run, { n, origin = 0 }: RecordedStep): readonly CallingVisit[] {
  const earlier = n === 1 ? (reuse?.visits ?? []) : [];
  return [{ id, step: n, origin }, ...earlier].slice(0, MAX_VISITS);
}

/** The functions that a state calls, and what it passes to them. */
const callsIn = ({ plan, state }: Entry) => {
  const work = plan.states[state]?.work;
  const actions = work === undefined ? [] : actionsOf(work);
  return actions.map(({ function: name, input, secrets, files }) => [plan.functions[name], input, secrets, files]);
};

/** What each call of a state sees: its element, or the whole data. Undefined where the elements cannot be evaluated. */
async function seenBy(work: Work | undefined, data: Data): Promise<((i: number) => unknown) | undefined> {
  if (work?.do !== 'each') return () => data;
  try {
    const elements = await elementsOf(work, data);
    return (i) => elements[i];
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
}

/** The results that only the repeated run has, of the calls that the repetition would make in the same way. */
async function resultsFor(
  results: NonNullable<RecordedStep['results']>,
  before: Entry,
  now: Entry,
): Promise<ReusedCalls['results']> {
  if (!isDeepStrictEqual(callsIn(before), callsIn(now))) return undefined;
  const [then, next] = [
    await seenBy(before.plan.states[before.state]?.work, before.data),
    await seenBy(now.plan.states[now.state]?.work, now.data),
  ];
  if (then === undefined || next === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(results).filter(([i]) => isDeepStrictEqual(then(Number(i)), next(Number(i)))),
  );
}

/**
 * The calls that a repetition from a state takes over: those that succeeded, if the state failed or one of its calls did.
 * Undefined for a state whose calls all succeeded: it is repeated as a whole.
 */
export async function reuseOf(
  run: runs.Run,
  step: RecordedStep,
  before: Entry,
  now: Entry,
): Promise<ReusedCalls | undefined> {
  if (step.origin === undefined) return undefined;
  const visits = visitsOf(run, step);
  const { results: recorded } = step;
  if (recorded === undefined) return { visits };
  const results = await onAccountOf({ id: run.namespaceId }, () => resultsFor(recorded, before, now));
  return results === undefined ? { visits } : { visits, results };
}
