import Mustache from 'mustache';
import { parseJson } from '../json-numbers.ts';
import { type Engine, failureMessage, type ScriptResult } from '../scripts/engine.ts';

/** How many parts of a template are rendered at most: sections in sections multiply. */
const MAX_PARTS = 200_000;
/** The longest result, characters. */
const MAX_RESULT = 8 * 1024 * 1024;

/** A template takes too much work. */
class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** A writer that stops when a template takes too much work, before the thread exceeds its limits. */
class BoundedWriter extends Mustache.Writer {
  private parts = 0;
  private length = 0;

  override renderTokens(...args: Parameters<InstanceType<typeof Mustache.Writer>['renderTokens']>): string {
    this.parts += args[0].length + 1;
    if (this.parts > MAX_PARTS) throw new TooLargeError(`it renders more than ${MAX_PARTS} parts`);
    const text = super.renderTokens(...args);
    this.length += text.length;
    if (this.length > MAX_RESULT) throw new TooLargeError(`it renders more than ${MAX_RESULT} characters`);
    return text;
  }
}

/** An engine whose source is a Mustache template, and whose result is the text that it makes of the data. */
export function createTemplateEngine(): Engine {
  return {
    run(source, data): ScriptResult {
      try {
        // Names have no values in null, as in an object without members.
        return { text: JSON.stringify(new BoundedWriter().render(source, parseJson(data) ?? {})) };
      } catch (error) {
        // The engine keeps nothing of a template, so its thread need not be replaced, whatever the mistake.
        return { error: failureMessage('template', source, error instanceof Error ? error.message : String(error)) };
      }
    },
  };
}
