import { type EndCause, type Handler, handlerBefore, handlerField } from '../../compiler/plan/handlers.ts';
import type { RunEnd } from '../../domain/runs/runs.ts';
import type { UnitOfWork } from './commit/unit-of-work.ts';
import { endOfWait } from './timeouts.ts';

/** The handler that the run of a unit of work enters before it ends with a cause; undefined: it ends. */
export const handlerOf = ({ run, handling }: UnitOfWork, cause: EndCause): Handler | undefined =>
  handlerBefore(run.settings.handlers, cause, handling);

/**
 * Lets a run that would end go to a handler instead. The data has the error, with the state where it happened; the run keeps
 * the first end that it came to, and ends with it after the last handler.
 */
export function enterHandler(unit: UnitOfWork, { phase, state }: Handler, cameTo: RunEnd): void {
  const { end, from } = unit.handling ?? { end: cameTo, from: unit.at };
  const until = endOfWait(unit.ports.clock.now(), unit.run.settings.handlers?.time);
  if (end.end !== 'complete') unit.data = { ...unit.data, error: { code: end.code, msg: end.message, state: from } };
  unit.handling = { phase, end, from, until };
  unit.log(`Entering the handler '${handlerField(phase)}': ${state}.`);
}
