import { type EvaluationContext, wrongType } from '../context/evaluation-context.ts';
import { ERRORS, StatesError } from '../context/states-error.ts';
import type { Rule } from '../program/program.ts';
import { NO_EVENTS, type StateHandler } from './handler.ts';

/** Goes to the state of the first rule whose Condition is true, else to Default; without one it fails. */
export const choice: StateHandler = {
  events: NO_EVENTS,
  enter: async (context) => {
    const fallback = context.thread.input;
    const rule = await findRule(context);
    if (rule) return context.leave({ ...rule, fallback });
    const { defaultNext: next, templates, name } = context.state;
    if (next) return context.leave({ templates, next, fallback });
    throw new StatesError(ERRORS.noChoice, `no rule of the state ${name} holds and it has no Default`);
  },
};

async function findRule(context: EvaluationContext): Promise<Rule | undefined> {
  for (const rule of context.state.rules) {
    const holds = await context.evaluate(rule.condition, 'Condition');
    if (typeof holds !== 'boolean') throw wrongType(context, 'Condition', 'true or false');
    if (holds) return rule;
  }
  return undefined;
}
