import type { Document } from './document.ts';
import { PLAN_VERSION, type Plan } from './plan/plan.ts';
import type { Part } from './sections.ts';

/** Makes the plan of a document without problems. Throws for a document with problems. */
export function lower({ start, states, functions, timeouts, settings }: Document): Plan {
  const lowered = start && lowerPart(start);
  return {
    version: PLAN_VERSION,
    start: lowered?.start ?? { type: 'default' },
    entry: lowered?.state ?? states[0]?.id ?? '',
    timeouts,
    ...settings,
    functions: Object.fromEntries(functions.map((part) => [part.id ?? '', lowerPart(part)])),
    states: Object.fromEntries(states.map((part) => [part.id ?? '', lowerPart(part)])),
  };
}

function lowerPart<Lowered>(part: Part<Lowered>): Lowered {
  if (part.lower === undefined) throw new Error(`the part in line ${part.line} could not be decoded`);
  return part.lower();
}
