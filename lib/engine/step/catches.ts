import type { CatchPlan, StatePlan } from '../../compiler/plan/plan.ts';
import { matchesCode, patternProblem } from '../../language/patterns.ts';
import { explain } from '../evaluation/explanations.ts';
import { CRASH_MESSAGE, INTERNAL, type StateError } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/step-unit.ts';
import { type End, type Next, transition } from './transitions.ts';

/** A failed state goes where its catch says, else the run ends (workflow-language reference, 7.2). */
export function failState(unit: StepUnit, state: StatePlan, error: StateError): Next {
  const code = error.own ? error.code : unit.branded(error.code);
  if (error.kind === 'internal') return crash(unit, error);
  const { evaluated } = error;
  const explanation = evaluated === undefined ? {} : explain(evaluated);
  unit.recorder.note({ error: { code, message: error.message, ...explanation } });
  if (error.kind !== 'catchable') return failUncatchably(unit, error, code);
  unit.data = { ...unit.data, error: { code, msg: error.message } };
  const caught = findCatch(unit, state.catch, code);
  if (caught === undefined) {
    unit.log(`Instance failed with error '${code}': ${error.detail}`, 'error');
    return { end: 'failed', code, message: error.message };
  }
  unit.log(`State failed with error '${code}': ${error.detail}`, 'error');
  unit.log(`Error caught by error definition ${caught.index}: ${caught.plan.error}`);
  unit.recorder.note({ because: `catch ${caught.index}` });
  return transition(unit, caught.plan);
}

interface Caught {
  readonly index: number;
  readonly plan: CatchPlan;
}

/** The first catch whose pattern matches the code; a pattern that does not compile is logged and ignored. */
function findCatch(unit: StepUnit, plans: readonly CatchPlan[], code: string): Caught | undefined {
  for (const [index, plan] of plans.entries()) {
    const problem = patternProblem(plan.error);
    if (problem !== undefined) unit.log(`Error catching regex failed to compile: ${problem}`, 'error');
    else if (matchesCode(plan.error, code, unit.ports.settings.brand)) return { index, plan };
  }
  return undefined;
}

function failUncatchably(unit: StepUnit, error: StateError, code: string): End {
  const named = error.kind === 'plain' ? '' : ` '${code}'`;
  unit.log(`Instance failed with uncatchable error${named}: ${error.detail}`, 'error');
  return { end: 'failed', code, message: error.message };
}

/** The detail of an internal error is for the instance's log alone. */
function crash(unit: StepUnit, error: StateError): End {
  unit.log(`Instance failed with uncatchable error: ${error.detail}`, 'error');
  const failure = { code: unit.branded(INTERNAL), message: CRASH_MESSAGE };
  unit.recorder.note({ error: failure });
  return { end: 'crashed', ...failure };
}
