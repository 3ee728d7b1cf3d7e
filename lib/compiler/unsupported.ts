import type { Position } from '../language/position.ts';
import { addProblem, type Problem } from '../language/problem.ts';
import type { Plan, Work } from './plan.ts';

/** Works that the plan can say and the engine cannot do yet, with what they lack. */
const NOT_YET: { readonly [Kind in Work['do']]?: string } = {
  sleep: 'pauses are not built',
  call: 'calls of functions are not built',
  each: 'calls of functions are not built',
  all: 'calls of functions are not built',
  emit: 'events are not built',
  listen: 'events are not built',
  'listen-any': 'events are not built',
};

/** A problem for each state of the plan that cannot run yet; none when the plan can run. */
export function unsupported(plan: Plan, placeOf: (id: string) => Position): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { id, type, work } of Object.values(plan.states)) {
    const lack = NOT_YET[work.do];
    if (lack === undefined) continue;
    addProblem(problems, placeOf(id), `state '${id}' of type '${type}' cannot run yet in this version: ${lack}`);
  }
  return problems;
}
