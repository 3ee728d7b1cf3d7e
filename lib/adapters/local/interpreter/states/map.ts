import type { Command } from '../context/command.ts';
import { type EvaluationContext, wholeNumber, wrongType } from '../context/evaluation-context.ts';
import { textWithin } from '../context/limits.ts';
import { completeWithResult, type StateHandler } from './handler.ts';

/** Runs an iteration for each item, at most MaxConcurrency at a time. The result is the list of their outputs. */
export const map: StateHandler = {
  events: { work: 1, result: 1 },
  enter: async (context) => {
    const items = context.has('Items') ? await context.value('Items') : context.input;
    if (!Array.isArray(items)) throw wrongType(context, 'Items', 'an array');
    const { mapWidth } = context.limits;
    const width = Math.min((await wholeNumber(context, 'MaxConcurrency', 0)) || mapWidth, mapWidth);
    return { kind: 'fork', plan: { total: items.length, width, items } };
  },
  complete: completeWithResult,
};

/**
 * The command that starts an iteration with its input, which the Map's ItemSelector makes of the item.
 * @throws StatesError
 */
export async function startIteration(context: EvaluationContext, item: unknown): Promise<Command> {
  const value = context.has('ItemSelector') ? await context.value('ItemSelector') : item;
  return { kind: 'start', input: textWithin(context.limits.bytes, 'the item', value) };
}
