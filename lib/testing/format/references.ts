import type { Plan } from '../../compiler/plan/plan.ts';
import type { Position } from '../../language/position.ts';
import { addProblem, type Problem } from '../../language/problem.ts';
import { didYouMean } from '../../language/suggestions.ts';
import { functionIn } from './function-keys.ts';
import type { Mock, TestCase, TestDecision } from './suite.ts';

/** The workflows of a case by their paths in the tree, and which of them it is about. */
export interface Reachable {
  readonly main: string;
  readonly plans: ReadonlyMap<string, Plan>;
}

/** The approvals of a workflow: the ids of their states, with the names of their choices. */
function approvalsOf({ states }: Plan): ReadonlyMap<string, readonly string[]> {
  const found = Object.values(states).flatMap(({ id, work }) =>
    work.do === 'approve' ? [[id, work.choices.map(({ name }) => name)] as const] : [],
  );
  return new Map(found);
}

const oneOf = (name: string, known: readonly string[], what: string): string =>
  didYouMean(name, known) ?? (known.length === 0 ? 'it has none' : `its ${what}: ${known.join(', ')}`);

function reportUnknownFunction(problems: Problem[], at: Position, name: string, { main, plans }: Reachable): void {
  const { path, id } = functionIn(name, main);
  const plan = plans.get(path);
  if (plan === undefined) {
    addProblem(problems, at, `the case has no workflow '${path}'`, () => didYouMean(path, plans.keys()));
    return;
  }
  if (Object.hasOwn(plan.functions, id)) return;
  const known = Object.keys(plan.functions);
  if (approvalsOf(plan).has(id)) {
    const hint = `decide the approval by decisions: [{state: ${id}, choice: …}]`;
    addProblem(problems, at, `'${id}' of '${path}' is a state, not a function`, () => hint);
    return;
  }
  addProblem(problems, at, `the workflow '${path}' has no function '${id}'`, () => oneOf(id, known, 'functions'));
}

/** The names of the choices of an approval that a decision names; undefined, and a problem, if there is none. */
function choicesOf(
  problems: Problem[],
  at: Position,
  name: string,
  { main, plans }: Reachable,
): readonly string[] | undefined {
  const { path, id } = functionIn(name, main);
  const plan = plans.get(path);
  if (plan === undefined) {
    addProblem(problems, at, `the case has no workflow '${path}'`, () => didYouMean(path, plans.keys()));
    return undefined;
  }
  const approvals = approvalsOf(plan);
  const choices = approvals.get(id);
  if (choices !== undefined) return choices;
  const isState = Object.hasOwn(plan.states, id);
  const text = isState ? `the state '${id}' is no approval` : `the workflow '${path}' has no state '${id}'`;
  addProblem(problems, at, text, () => oneOf(id, [...approvals.keys()], 'approvals'));
  return undefined;
}

/** Reports a decision that no approval can take. */
function reportUnknownDecision(problems: Problem[], decision: TestDecision, reachable: Reachable): void {
  const { state, choice } = decision;
  const all = [...reachable.plans.values()].flatMap((plan) => [...approvalsOf(plan).values()]);
  if (all.length === 0) {
    addProblem(problems, decision, 'no workflow of the case has an approval');
    return;
  }
  const choices = state === undefined ? [...new Set(all.flat())] : choicesOf(problems, decision, state, reachable);
  if (choices === undefined || choices.includes(choice)) return;
  const text = state === undefined ? 'no approval has the choice' : `the approval '${state}' has no choice`;
  addProblem(problems, decision, `${text} '${choice}'`, () => oneOf(choice, choices, 'choices'));
}

/** The problems of the names of functions and states in a case. */
export function unknownNames(test: TestCase, reachable: Reachable): Problem[] {
  const problems: Problem[] = [];
  const { states, calls, places } = test.expect;
  for (const mock of test.mocks) if (!mock.isShared) reportUnknownFunction(problems, mock, mock.function, reachable);
  for (const decision of test.decisions) reportUnknownDecision(problems, decision, reachable);
  for (const name of Object.keys(calls)) reportUnknownFunction(problems, places['calls'] ?? test, name, reachable);
  const known = Object.keys(reachable.plans.get(reachable.main)?.states ?? {});
  const named = states === undefined ? [] : Array.isArray(states) ? (states as string[]) : Object.keys(states);
  for (const state of new Set(named)) {
    if (known.includes(state)) continue;
    const text = `the workflow '${reachable.main}' has no state '${state}'`;
    addProblem(problems, places['states'] ?? test, text, () => didYouMean(state, known));
  }
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** The problem of a mock of the file whose function no case has; undefined if one has it. */
export function unknownToAll(mock: Mock, cases: readonly Reachable[]): Problem | undefined {
  const problems = cases.map((reachable) => {
    const found: Problem[] = [];
    reportUnknownFunction(found, mock, mock.function, reachable);
    return found[0];
  });
  return problems.includes(undefined) ? undefined : problems[0];
}
