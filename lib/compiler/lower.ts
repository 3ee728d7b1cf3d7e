import type { Document, Part } from './document.ts';
import { PLAN_VERSION, type Plan } from './plan/plan.ts';

/** The plan of a document in which nothing is wrong; throws for any other. */
export function lower({ start, states, functions, timeouts }: Document): Plan {
  const begin = start && lowerPart(start);
  return {
    version: PLAN_VERSION,
    start: begin?.start ?? { type: 'default' },
    entry: begin?.state ?? states[0]?.id ?? '',
    timeouts,
    functions: Object.fromEntries(functions.map((part) => [part.id ?? '', lowerPart(part)])),
    states: Object.fromEntries(states.map((part) => [part.id ?? '', lowerPart(part)])),
  };
}

function lowerPart<Lowered>(part: Part<Lowered>): Lowered {
  if (part.lower === undefined) throw new Error(`line ${part.line} could not be read, so it has no plan`);
  return part.lower();
}
