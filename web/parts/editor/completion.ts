import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { Complete } from '../../data/workflow/schema.ts';

/** Completions of a language as the editor asks for them. */
export const toSource =
  (complete: Complete): CompletionSource =>
  async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const found = await complete(state.doc.toString(), pos);
    if (found === undefined || found.options.length === 0) return null;
    const isAtStart = found.from === pos;
    if (isAtStart && !explicit && !found.isEager) return null;
    return {
      from: found.from,
      validFor: /^[\w.-]*$/,
      options: found.options.map(({ label, insert, about }) => ({
        label,
        ...(insert === undefined ? {} : { apply: insert }),
        ...(about === undefined ? {} : { info: about }),
      })),
    };
  };
