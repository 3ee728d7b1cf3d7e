import { TooManyViolationsError, violations } from '../schemas/violations.ts';
import { type Engine, failureMessage, type ScriptResult } from '../scripts/engine.ts';

/** A value of many thousand members can violate a schema as often; each violation is a line of a log. */
const MAX_VIOLATIONS = 1000;

/** The longest text of a violation: it may quote every allowed value. In characters. */
const MAX_TEXT = 10_000;

function validate(source: string, data: string): ScriptResult {
  const found = violations(JSON.parse(source), JSON.parse(data));
  return { text: JSON.stringify(found.slice(0, MAX_VIOLATIONS).map((text) => text.slice(0, MAX_TEXT))) };
}

/** An engine whose source is the JSON text of a valid schema, and whose result is the list of the violations. */
export function createSchemaEngine(): Engine {
  return {
    run(source, data) {
      try {
        return validate(source, data);
      } catch (error) {
        // The engine is intact: its thread need not be replaced.
        if (!(error instanceof TooManyViolationsError)) throw error;
        return { error: failureMessage('schema', source, error.message) };
      }
    },
  };
}
