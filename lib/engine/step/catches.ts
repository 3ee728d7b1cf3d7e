import type { CatchPlan, StatePlan } from '../../compiler/plan/plan.ts';
import { type RecordedError, whereText } from '../../domain/runs/records.ts';
import type { RunEnd } from '../../domain/runs/runs.ts';
import { matchesCode, patternProblem } from '../../language/patterns.ts';
import { explain } from '../evaluation/explanations.ts';
import { CRASH_MESSAGE, INTERNAL, type StateError } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { type Next, transition } from './transitions.ts';

/** A failed state goes where its catch says, else the run ends (workflow-language reference, 7.2). */
export async function failState(unit: StepUnit, state: StatePlan, error: StateError): Promise<Next> {
  const code = error.own ? error.code : unit.branded(error.code);
  if (error.kind === 'internal') return crash(unit, state, error);
  const explained = { code, message: error.message, ...(await explanationOf(unit, state, error)) };
  unit.recorder.note({ error: explained });
  if (error.kind !== 'catchable') return failUncatchably(unit, error, explained);
  unit.data = { ...unit.data, error: { code, msg: error.message } };
  const caught = findCatch(unit, state.catch, code);
  if (caught === undefined) {
    const patterns = state.catch.slice(0, MAX_PATTERNS).map((plan) => plan.error.slice(0, MAX_PATTERN_LENGTH));
    const failed = patterns.length === 0 ? explained : { ...explained, unmatched: patterns };
    unit.recorder.note({ error: failed });
    unit.log(`Instance failed with error '${code}': ${error.detail}`, 'error');
    logExplanation(unit, failed);
    return { end: 'failed', code, message: error.message };
  }
  unit.log(`State failed with error '${code}': ${error.detail}`, 'error');
  unit.log(`Error caught by error definition ${caught.index}: ${caught.plan.error}`);
  unit.recorder.note({ because: `catch ${caught.index}` });
  return transition(unit, caught.plan);
}

/** How many patterns of a catch are listed, and their length, characters. */
const MAX_PATTERNS = 10;
const MAX_PATTERN_LENGTH = 200;

/** Where and why a state failed. The value that it saw is data, which some namespaces do not record. */
async function explanationOf(
  unit: StepUnit,
  { id }: StatePlan,
  { evaluated }: StateError,
): Promise<Omit<RecordedError, 'code' | 'message'>> {
  const { saw, ...explanation } = evaluated === undefined ? {} : explain(evaluated);
  // Loaded with the first failure: the parser of YAML is 60 kB of a function of Lambda.
  const { placeOf } = await import('../../language/yaml/places.ts');
  const at = placeOf(unit.tools.source, id, explanation.expression ?? '');
  const keepsData = (unit.run.settings.record ?? 'full') === 'full';
  return {
    ...(at === undefined ? {} : { at }),
    ...explanation,
    ...(saw === undefined || !keepsData ? {} : { saw }),
  };
}

/** Adds the line that explains the failure of the run. The logs of the brand `direktiv` are those of the original. */
function logExplanation(unit: StepUnit, error: RecordedError): void {
  const { run, ports, at: state } = unit;
  if (ports.settings.brand === 'direktiv') return;
  unit.log(`Where: ${whereText({ file: run.path, state, ...error })}`, 'error');
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

function failUncatchably(unit: StepUnit, error: StateError, explained: RecordedError): RunEnd {
  const { code } = explained;
  const named = error.kind === 'plain' ? '' : ` '${code}'`;
  unit.log(`Instance failed with uncatchable error${named}: ${error.detail}`, 'error');
  logExplanation(unit, explained);
  return { end: 'failed', code, message: error.message };
}

/** The detail of an internal error is for the log of the instance and for the explanation of its failure. */
async function crash(unit: StepUnit, state: StatePlan, error: StateError): Promise<RunEnd> {
  unit.log(`Instance failed with uncatchable error: ${error.detail}`, 'error');
  const failure = { code: unit.branded(INTERNAL), message: CRASH_MESSAGE };
  const explained = { ...failure, near: [error.detail], ...(await explanationOf(unit, state, error)) };
  unit.recorder.note({ error: explained });
  logExplanation(unit, explained);
  return { end: 'crashed', ...failure };
}
