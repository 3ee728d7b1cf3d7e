import { compile } from '../../lib/compiler/compile.ts';
import type { Plan, StatePlan } from '../../lib/compiler/plan/plan.ts';

/** Compiles a text to its plan. Throws its problems if it has any. */
export function planOf(source: string): Plan {
  const compiled = compile(source);
  if ('plan' in compiled) return compiled.plan;
  throw new Error(compiled.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'));
}

/** Returns the plan of the first state. */
export function stateOf(source: string): StatePlan {
  const [state] = Object.values(planOf(source).states);
  if (state === undefined) throw new Error('the plan has no states');
  return state;
}

/** Returns every problem as `line:column message`; none for a valid workflow. */
export function problemsOf(source: string): string[] {
  const compiled = compile(source);
  if ('plan' in compiled) return [];
  return compiled.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** Returns the hints of the problems, in their order. */
export function hintsOf(source: string): (string | undefined)[] {
  const compiled = compile(source);
  return 'plan' in compiled ? [] : compiled.problems.map(({ hint }) => hint);
}
