import type { Traces } from '../ports/telemetry/traces.ts';

/**
 * A handler of a Lambda without requests that exports the traces of the runs that ended during the call before it returns,
 * also after an error: Lambda stops the process between calls.
 */
export function withTraces<Call extends readonly unknown[], Output>(
  handle: (...call: Call) => Promise<Output>,
  traces: () => Traces | undefined,
): (...call: Call) => Promise<Output> {
  return async (...call) => {
    try {
      return await handle(...call);
    } finally {
      await traces()?.flush();
    }
  };
}
