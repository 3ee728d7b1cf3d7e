import { type EvaluationContext, wrongType } from '../context/evaluation-context.ts';
import { StatesError } from '../context/states-error.ts';
import { NO_EVENTS, type StateHandler } from './handler.ts';

/** Fails with the Error and the Cause of the state. */
export const fail: StateHandler = {
  events: NO_EVENTS,
  enter: async (context) => {
    throw new StatesError(await text(context, 'Error'), await text(context, 'Cause'));
  },
};

async function text(context: EvaluationContext, field: 'Error' | 'Cause'): Promise<string | undefined> {
  const value = await context.value(field);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(context, field, 'text');
}
