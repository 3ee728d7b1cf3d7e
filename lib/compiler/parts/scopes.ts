import { reportInvalid } from '../decoding/context.ts';
import { anyText, createDecoder, type Decoder } from '../decoding/decoders.ts';
import type { Scope } from '../plan/plan.ts';

/** The required scope of a variable, one of these. The message is the original's for every list of scopes. */
export function scopeIn<T extends Scope>(scopes: readonly T[]): Decoder<T> {
  return createDecoder({ kind: 'words', words: scopes, isRequired: true }, (node, field, context) => {
    const value = anyText(node, field, context);
    const scope = scopes.find((known) => known === value);
    if (scope === undefined) {
      const text = "bad scope (choose 'namespace', 'workflow', 'thread' or 'instance')";
      reportInvalid(context, node ?? field, text, () => `known scopes: ${scopes.join(', ')}`);
    }
    return scope as T;
  });
}
