import { areTooLarge, MAX_FILTER_BYTES } from '../../domain/events/listeners.ts';
import type { RunEnd } from '../../domain/runs/runs.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { plainFailure, StateError } from '../evaluation/failures.ts';
import { partitionFor } from '../run/commit/listener-writes.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';

/**
 * Sets the event that cancels a run, as its workflow has it, before its first state. Returns the end of a run whose context
 * cannot be evaluated: it could not be cancelled.
 */
export async function setCancelOn(unit: StepUnit): Promise<RunEnd | undefined> {
  const { cancelOn } = unit.tools.plan;
  if (cancelOn === undefined || unit.cancelOn !== undefined || unit.handling !== undefined) return undefined;
  const { type, context } = cancelOn;
  try {
    const values = (await evaluate(context, unit.data)) as Readonly<Record<string, unknown>>;
    const filter = { type, context: values, isByValue: true };
    if (areTooLarge([filter])) {
      throw plainFailure(`has more than ${MAX_FILTER_BYTES / 1024} KiB, with the type`);
    }
    unit.cancelOn = { filter, since: unit.run.created, ...partitionFor(unit.run) };
    return undefined;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const [code, message] = [unit.branded('event.jq'), `the context of cancelOn ${error.message}`];
    unit.log(`Workflow failed with error '${code}': ${message}`, 'error', '');
    return { end: 'failed', code, message };
  }
}
