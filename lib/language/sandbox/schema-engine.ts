import { fit, TooManyViolationsError, violations } from '../schemas/violations.ts';
import { type Engine, failureMessage, type ScriptResult } from '../scripts/engine.ts';

/** A value of many thousand members can violate a schema as often; each violation is a line of a log. */
const MAX_VIOLATIONS = 1000;

/** The longest text of a violation: it may quote every allowed value. In characters. */
const MAX_TEXT = 10_000;

const shortened = (found: readonly string[]): string[] =>
  found.slice(0, MAX_VIOLATIONS).map((text) => text.slice(0, MAX_TEXT));

const validate = (schema: unknown, data: string): unknown => shortened(violations(schema, JSON.parse(data)));

function addDefaults(schema: unknown, data: string): unknown {
  const fitted = fit(schema, data);
  return { ...fitted, violations: shortened(fitted.violations) };
}

function engineOf(work: (schema: unknown, data: string) => unknown): Engine {
  return {
    run(source, data): ScriptResult {
      try {
        return { text: JSON.stringify(work(JSON.parse(source), data)) };
      } catch (error) {
        // The engine is intact: its thread need not be replaced.
        if (!(error instanceof TooManyViolationsError)) throw error;
        return { error: failureMessage('schema', source, error.message) };
      }
    },
  };
}

/** An engine whose source is the JSON text of a valid schema, and whose result is the list of the violations. */
export const createSchemaEngine = (): Engine => engineOf(validate);

/** As the engine for schemas; its result is a `Fitted`. */
export const createDefaultsEngine = (): Engine => engineOf(addDefaults);
