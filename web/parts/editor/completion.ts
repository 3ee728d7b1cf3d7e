import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { Complete } from '../../data/workflow/completions.ts';

/** Completions of a language as the editor asks for them. */
export const toSource =
  (complete: Complete): CompletionSource =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = complete(state.doc.toString(), pos);
    if (found === undefined || found.options.length === 0) return null;
    const isAtStart = found.from === pos;
    if (isAtStart && !explicit && !found.isEager) return null;
    return {
      from: found.from,
      validFor: /^[\w.-]*$/,
      options: found.options.map(({ label, insert, detail }) => ({
        label,
        ...(insert === undefined ? {} : { apply: insert }),
        ...(detail === undefined ? {} : { detail }),
      })),
    };
  };
