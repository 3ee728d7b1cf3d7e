import type { Plan } from '../../compiler/plan/plan.ts';
import type { Position } from '../../language/position.ts';
import { addProblem, type Problem } from '../../language/problem.ts';
import { didYouMean } from '../../language/suggestions.ts';
import { functionIn } from './function-keys.ts';
import type { Mock, TestCase } from './suite.ts';

/** The workflows of a case by their paths in the tree, and which of them it is about. */
export interface Reachable {
  readonly main: string;
  readonly plans: ReadonlyMap<string, Plan>;
}

function reportUnknownFunction(problems: Problem[], at: Position, name: string, { main, plans }: Reachable): void {
  const { path, id } = functionIn(name, main);
  const plan = plans.get(path);
  if (plan === undefined) {
    addProblem(problems, at, `the case has no workflow '${path}'`, () => didYouMean(path, plans.keys()));
    return;
  }
  if (Object.hasOwn(plan.functions, id)) return;
  const known = Object.keys(plan.functions);
  addProblem(problems, at, `the workflow '${path}' has no function '${id}'`, () => {
    return didYouMean(id, known) ?? (known.length === 0 ? 'it has none' : `its functions: ${known.join(', ')}`);
  });
}

/** The problems of the names of functions and states in a case. */
export function unknownNames(test: TestCase, reachable: Reachable): Problem[] {
  const problems: Problem[] = [];
  const { states, calls, places } = test.expect;
  for (const mock of test.mocks) if (!mock.isShared) reportUnknownFunction(problems, mock, mock.function, reachable);
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
