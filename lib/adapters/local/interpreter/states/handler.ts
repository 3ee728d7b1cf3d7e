import { parseJson } from '../../../../language/json-numbers.ts';
import type { Command } from '../context/command.ts';
import type { EvaluationContext } from '../context/evaluation-context.ts';

/** How states of one type run. Both methods throw StatesError when the state fails. */
export interface StateHandler {
  /** Called when the state is entered, and at each retry. */
  enter(context: EvaluationContext): Promise<Command>;
  /** Called when the result for which the state waited is there, as JSON text. */
  complete?(context: EvaluationContext, result: string): Promise<Command>;
  /** The history events that Step Functions writes when the state's work starts, and when its result is there. */
  readonly events: { readonly work: number; readonly result: number };
}

/** For states that wait for nothing. */
export const NO_EVENTS = { work: 0, result: 0 } as const;

/** Leaves a state whose result is `$states.result` and also its output where it has no Output. */
export function completeWithResult(context: EvaluationContext, result: string): Promise<Command> {
  const { templates, next } = context.state;
  return context.leave({ templates, next, fallback: result, bindings: { result: parseJson(result) } });
}

/** Leaves a state whose output is its input where it has no Output. */
export function leaveWithInput(context: EvaluationContext): Promise<Command> {
  const { templates, next } = context.state;
  return context.leave({ templates, next, fallback: context.thread.input });
}
