/** The first states of the chains that a run enters before it ends (docs/failures.md). */
export interface Handlers {
  /** Once, when the run would fail. */
  readonly onFailure?: string;
  /** Instead of `onFailure`, when the event of `cancelOn` cancels the run. */
  readonly onCancel?: string;
  /** Always, last. */
  readonly finally?: string;
}

/** The handlers of a run, and the time that each of their chains has, an ISO 8601 duration; absent: the default. */
export interface RunHandlers extends Handlers {
  readonly time?: string;
}

/** The kind of a handler. */
export type HandlerPhase = keyof Handlers;

/** The field of a workflow that names the first state of a handler, as messages show it. */
export const handlerField = (phase: HandlerPhase): string => (phase === 'onCancel' ? 'cancelOn.transition' : phase);

/** Why a run is about to end: by itself or its time, by the event of `cancelOn`, or by a request or its caller. */
export type EndCause = 'success' | 'failure' | 'event' | 'request';

/** The handlers that follow each cause, in their order: of those in one list, the first that the workflow has. */
const FOLLOWING: Readonly<Record<EndCause, readonly (readonly HandlerPhase[])[]>> = {
  success: [['finally']],
  failure: [['onFailure'], ['finally']],
  event: [['onCancel', 'onFailure'], ['finally']],
  request: [['finally']],
};

/** A handler: its kind, and its first state. */
export interface Handler {
  readonly phase: HandlerPhase;
  readonly state: string;
}

/** The handler that a run enters before it ends; undefined: none. `handling`: the chain in which it is. */
export function handlerBefore(
  handlers: RunHandlers | undefined,
  cause: EndCause,
  handling?: { readonly phase: HandlerPhase },
): Handler | undefined {
  if (handlers === undefined || handling?.phase === 'finally') return undefined;
  const groups = handling === undefined ? FOLLOWING[cause] : FOLLOWING.success;
  const phase = groups.flatMap((group) => group.filter((name) => (handlers[name] ?? '') !== '').slice(0, 1))[0];
  return phase && { phase, state: handlers[phase] ?? '' };
}
