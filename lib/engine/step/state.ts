import type { Exit, StatePlan } from '../../compiler/plan/plan.ts';
import { isObject, toPrettyJson } from '../../language/json.ts';
import { cancelCalls } from '../delivery/deliver.ts';
import { needBounded } from '../evaluation/bounds.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, plainFailure, StateError } from '../evaluation/failures.ts';
import { logEvent } from '../run/commit/broadcasts.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { outputFailure } from '../run/schemas.ts';
import { Suspend } from '../run/suspension.ts';
import { failState } from './catches.ts';
import { type Next, orHandler, transition } from './transitions.ts';
import { perform, resume } from './works/index.ts';
import type { EndedWait, Result } from './works/work.ts';

/**
 * Enters a state: its log line and metadata, its work, then its transform and transition, or its catch (reference,
 * section 6). With an `interruption`, the state fails with it instead of doing its work.
 */
export async function runState(unit: StepUnit, state: StatePlan, interruption?: StateError): Promise<Next> {
  unit.enter(state);
  unit.log(`Running state logic (step:${unit.step}) -- ${state.id}`);
  return finish(unit, state, async () => {
    if (interruption !== undefined) throw interruption;
    await announce(unit, state);
    return perform(unit, state);
  });
}

/** Goes on with a state that was suspended. An `interruption` cancels the calls that it waits for. */
export function resumeState(
  unit: StepUnit,
  state: StatePlan,
  ended: EndedWait,
  interruption?: StateError,
): Promise<Next> {
  return finish(unit, state, async () => {
    if (interruption === undefined) return resume(unit, state, ended);
    await cancelCalls(unit.ports, unit.caller, ended.wait);
    throw interruption;
  });
}

/** Does the work and leaves the state, unless the work suspends it. */
async function finish(unit: StepUnit, state: StatePlan, work: () => Promise<Result>): Promise<Next> {
  const left = await leave(unit, state, work).catch((error: unknown) => {
    unit.recorder.noteCalls(unit.wait);
    unit.wait = undefined;
    return failState(unit, state, toFailure(error));
  });
  // What the chain of `finally` adds to the data is in the output too.
  const isHandling = unit.handling !== undefined;
  const ended = orHandler(unit, isHandling ? left : await checkOutput(unit, state, left));
  const next = isHandling ? await checkOutput(unit, state, ended) : ended;
  if (!('suspend' in next)) unit.leave(state.id, 'to' in next ? next.to : undefined);
  return next;
}

/** The failure of a run that would end with an output that does not fit its workflow; else the same successor. */
async function checkOutput(unit: StepUnit, state: StatePlan, next: Next): Promise<Next> {
  if (!('end' in next) || next.end !== 'complete' || unit.tools.plan.output === undefined) return next;
  const error = await outputFailure(unit.tools.plan, unit.data);
  if (error !== undefined) return failState(unit, state, error);
  if (unit.handling === undefined) unit.log('Workflow completed.');
  return next;
}

async function leave(unit: StepUnit, state: StatePlan, work: () => Promise<Result>): Promise<Next> {
  const result = await work();
  if (result instanceof Suspend) return { suspend: result };
  unit.wait = undefined;
  const exit = result ?? state.exit;
  await transform(unit, exit);
  return transition(unit, exit);
}

/** A RangeError is a fault of the workflow: it made a text of half a gigabyte, or a value too deep for the stack. */
function toFailure(error: unknown): StateError {
  if (error instanceof StateError) return error;
  if (error instanceof RangeError) return plainFailure(`the state made too much: ${error.message}`);
  throw error;
}

async function announce(unit: StepUnit, { log, metadata }: StatePlan): Promise<void> {
  if (log !== undefined && log !== null) {
    const text = toPrettyJson(await evaluate(log, unit.data));
    unit.log(text);
    unit.send(logEvent(unit.ports, unit.run, text));
  }
  if (metadata !== undefined && metadata !== null) {
    unit.metadata = toPrettyJson(await evaluate(metadata, unit.data));
  }
}

const keepsData = (query: unknown): boolean => query === undefined || query === null || query === '' || query === '.';

/** Replaces the data by the transform's result, which must be an object (workflow-language reference, 5.6). */
async function transform(unit: StepUnit, exit: Exit): Promise<void> {
  if (keepsData(exit.transform)) return;
  unit.log('Transforming state data.');
  const result = await evaluate(exit.transform, unit.data).catch((error: unknown) => {
    if (!(error instanceof StateError)) throw error;
    const { kind, code, message, evaluated } = error;
    throw new StateError(kind, code, `unable to apply transform: ${message}`, { evaluated });
  });
  if (!isObject(result)) {
    const message = 'unable to apply transform: the `jq` or `js` command produced a non-object output';
    throw failure('jq.notObject', message, { query: exit.transform, data: unit.data, result });
  }
  unit.data = needBounded(result);
}
