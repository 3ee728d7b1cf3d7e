import { violations } from '../schemas.ts';
import type { Engine } from '../scripts/engine.ts';

/** A value of a million members can violate a schema a million times; each violation is a line of a log. */
const MAX_VIOLATIONS = 1000;

/** The longest text of a violation: it may quote every allowed value. In characters. */
const MAX_TEXT = 10_000;

/** An engine whose source is the JSON text of a valid schema, and whose result is the list of the violations. */
export function createSchemaEngine(): Engine {
  return {
    run(source, data) {
      const found = violations(JSON.parse(source), JSON.parse(data));
      return { text: JSON.stringify(found.slice(0, MAX_VIOLATIONS).map((text) => text.slice(0, MAX_TEXT))) };
    },
  };
}
