import type { Position } from '../language/position.ts';
import { addProblem, type Problem } from '../language/problem.ts';
import type { ActionPlan, Plan, StatePlan, Work } from './plan.ts';

function actionsOf(work: Work): readonly ActionPlan[] {
  if (work.do === 'all') return work.actions;
  return work.do === 'call' || work.do === 'each' ? [work.action] : [];
}

/** What the state lacks; undefined when it can run. A function that is not declared fails the run, as it always did. */
function lackOf(plan: Plan, { work }: StatePlan): string | undefined {
  const isService = actionsOf(work).some(
    ({ function: name }) => (plan.functions[name]?.type ?? 'subflow') !== 'subflow',
  );
  return isService ? 'container services are not built' : undefined;
}

/** A problem for each state of the plan that cannot run yet; none when the plan can run. */
export function unsupported(plan: Plan, placeOf: (id: string) => Position): readonly Problem[] {
  const problems: Problem[] = [];
  for (const state of Object.values(plan.states)) {
    const lack = lackOf(plan, state);
    if (lack === undefined) continue;
    const { id, type } = state;
    addProblem(problems, placeOf(id), `state '${id}' of type '${type}' cannot run yet in this version: ${lack}`);
  }
  return problems;
}
