import { NamedError } from '../contract/executions.ts';
import type { Steps } from './emulator.ts';

/** What the steps function is to do when it is called: answer, or fail under a name. */
export type Line = { readonly answer: unknown } | { readonly error: string; readonly message?: string };

export interface Script {
  readonly steps: Steps;
  /** The payloads of the calls so far, in their order. */
  readonly calls: readonly unknown[];
}

/** A steps function that knows beforehand what to say, a line a call. A call too many fails as `Script.Over`. */
export function scripted(...lines: readonly Line[]): Script {
  const calls: unknown[] = [];
  const steps: Steps = (payload) => {
    const line = lines[calls.push(payload) - 1] ?? { error: 'Script.Over' };
    if ('error' in line) throw new NamedError(line.error, line.message ?? '');
    return line.answer;
  };
  return { steps, calls };
}
