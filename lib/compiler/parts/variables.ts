import type { Scope } from '../plan/plan.ts';
import { refuse } from '../read/reading.ts';
import { anyText, type Shape } from '../read/shape.ts';

/** The scope of a variable: it must be written, and be one of these. The wording is the original's, for any of them. */
export function scopeOf<T extends Scope>(scopes: readonly T[]): Shape<T> {
  return (node, place, reading) => {
    const value = anyText(node, place, reading);
    const scope = scopes.find((each) => each === value);
    if (scope === undefined) {
      const text = "bad scope (choose 'namespace', 'workflow', 'thread' or 'instance')";
      refuse(reading, node ?? place, text, () => `known scopes: ${scopes.join(', ')}`);
    }
    return scope as T;
  };
}
