import { compile } from '../../lib/compiler/compile.ts';
import type { Plan, StatePlan } from '../../lib/compiler/plan/plan.ts';

/** The plan of a text that is expected to be a workflow. */
export function planOf(source: string): Plan {
  const compiled = compile(source);
  if ('plan' in compiled) return compiled.plan;
  throw new Error(compiled.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('\n'));
}

/** The first state of the plan. */
export function stateOf(source: string): StatePlan {
  const [state] = Object.values(planOf(source).states);
  if (state === undefined) throw new Error('the plan has no states');
  return state;
}

/** Every problem as `line:column message`; empty for a workflow. */
export function problemsOf(source: string): string[] {
  const compiled = compile(source);
  if ('plan' in compiled) return [];
  return compiled.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** The hints of the problems, in their order. */
export function hintsOf(source: string): (string | undefined)[] {
  const compiled = compile(source);
  return 'plan' in compiled ? [] : compiled.problems.map(({ hint }) => hint);
}
