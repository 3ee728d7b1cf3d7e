import { keepResult, keepRetryAfter, keepSent } from '../../domain/runs/call-results.ts';
import type { NativeCallee } from '../../domain/runs/calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import { callTraceparent } from '../../domain/runs/spans.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { resultProblem } from '../evaluation/bounds.ts';
import { INTERNAL } from '../evaluation/failures.ts';
import type { NativeContext, Outcome } from '../http/outcome.ts';
import type { RunnerPorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';
import { nativeOf } from './functions.ts';
import { openInput } from './inputs.ts';

/** A child that is the call of a native function. */
export type NativeChild = runs.Call<NativeCallee>;

type Ending = Pick<runs.Run, 'status' | 'code' | 'message' | 'data'>;

/**
 * Calls the native function of a child that is not stored, and returns the child as it ended; pending when the call was
 * aborted. Stores nothing: a repeated step calls again, with the same idempotency key.
 */
export async function callInPlace(
  ports: RunnerPorts,
  child: NativeChild,
  { signal, readFiles }: Pick<NativeContext, 'readFiles'> & { readonly signal: AbortSignal },
): Promise<runs.Run> {
  const ending = await endingOf(ports, child, { input: child.input, readFiles, signal });
  return signal.aborted ? child : { ...child, ...ending };
}

/** How a stored call is served. */
interface Serving extends Pick<NativeContext, 'readFiles'> {
  /** Whether a caller's task waits for the result. */
  readonly isAwaited: boolean;
}

/**
 * Calls the native function of a stored child and commits the result. Returns the child as it ended; pending if it failed
 * because the time of its caller is over and that waits. It may be repeated
 * after an interruption; it then calls again, with the same idempotency key.
 */
export async function serveNative(
  ports: RunnerPorts,
  child: NativeChild,
  { isAwaited, readFiles }: Serving,
): Promise<runs.Run> {
  const ending = await endingOf(ports, child, { input: await openInput(ports, child), readFiles, signal: undefined });
  // The machine reports that the time of the state is over, as for a container.
  if (isAwaited && ending.status !== 'complete' && ports.clock.now() >= child.site.until) return child;
  return commitEnding(ports, child, ending);
}

/** Commits the outcome of a native function. Returns the child as it ended; one that has ended stays as it is. */
export const commitOutcome = (ports: RunnerPorts, child: NativeChild, outcome: Outcome): Promise<runs.Run> =>
  commitEnding(ports, child, toEnding(ports, outcome));

async function commitEnding(ports: RunnerPorts, child: NativeChild, ending: Ending): Promise<runs.Run> {
  const { run } = await runs.update(ports, child, async (current) => {
    if (current.status !== 'pending') return undefined;
    const unit = new UnitOfWork(ports, current);
    unit.data = ending.data;
    return unit.prepareCommit(ending);
  });
  return run;
}

/** The input and the files of a call, and the signal that aborts it. */
interface Given extends Pick<NativeContext, 'readFiles'> {
  readonly input: Uint8Array;
  readonly signal: AbortSignal | undefined;
}

async function endingOf(ports: RunnerPorts, child: NativeChild, { input, readFiles, signal }: Given): Promise<Ending> {
  const { id, namespaceId, namespace, root, trace, callee } = child;
  const { caller, until } = child.site;
  const call = nativeOf(callee.function);
  if (call === undefined) return crash(ports, `this version of Weft has no native function '${callee.function}'`);
  const context = {
    ports,
    namespaceId,
    namespace,
    id,
    key: callee.key,
    traceparent: callTraceparent({ id: caller, root, trace }, id),
    until,
    readFiles,
  };
  const begun = ports.clock.now();
  const outcome = await call({ ...context, ...(signal && { signal }) }, parseJson(Buffer.from(input).toString()));
  return toEnding(ports, outcome, ports.clock.now() - begun);
}

/** `ms`: how long the call took, if this process made it. */
function toEnding(ports: RunnerPorts, outcome: Outcome, ms?: number): Ending {
  const sent = keepSent(outcome.sent && { ...outcome.sent, ...(ms === undefined ? {} : { ms }) });
  if ('failure' in outcome) {
    const { code, message, retryAfter } = outcome.failure;
    return { status: 'failed', code, message, data: { ...keepRetryAfter(retryAfter), ...sent } };
  }
  const problem = resultProblem(outcome.value);
  if (problem !== undefined) return crash(ports, `the result of the function is ${problem}`);
  return { status: 'complete', code: '', message: '', data: { ...keepResult(outcome.value), ...sent } };
}

const crash = ({ settings }: RunnerPorts, message: string): Ending => ({
  status: 'crashed',
  code: `${settings.brand}.${INTERNAL}`,
  message,
  data: {},
});
