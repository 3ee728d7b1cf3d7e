import { NamedError } from '../contract/executions.ts';
import type { Steps } from './emulator.ts';

/** The reply to one call: an answer, or an error by its name. */
export type Reply = { readonly answer: unknown } | { readonly error: string; readonly message?: string };

/** A steps function with fixed replies. */
export interface Script {
  readonly steps: Steps;
  /** The payloads of the calls, in order. */
  readonly calls: readonly unknown[];
}

/** A steps function with one reply for each call; a further call fails as `Script.Over`. */
export function scripted(...replies: readonly Reply[]): Script {
  const calls: unknown[] = [];
  const steps: Steps = (payload) => {
    const reply = replies[calls.push(payload) - 1] ?? { error: 'Script.Over' };
    if ('error' in reply) throw new NamedError(reply.error, reply.message ?? '');
    return reply.answer;
  };
  return { steps, calls };
}
