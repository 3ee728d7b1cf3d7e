/**
 * How a state fails (workflow-language reference, 7.1). `catchable`: the state's catch is searched for its code;
 * `uncatchable` and `plain`: the instance fails at once, `plain` without a code of its own; `internal`: the instance
 * crashes, and the detail is only in its log.
 */
export type FailureKind = 'catchable' | 'uncatchable' | 'plain' | 'internal';

/** The explanation of a failure: the query that failed, and the data on which it was evaluated. */
export interface Evaluated {
  readonly query?: unknown;
  readonly data?: unknown;
  /** The result of the query, if that is the fault. */
  readonly result?: unknown;
  /** Sentences about the cause, for the user. They hold no secrets. */
  readonly hints?: readonly string[];
}

interface Options {
  readonly own?: boolean;
  readonly detail?: string;
  readonly evaluated?: Evaluated | undefined;
}

/** The failure of a state. It ends the state, and the run unless the state catches it. */
export class StateError extends Error {
  override readonly name = 'StateError';
  readonly kind: FailureKind;
  /** Without the brand: `jq.badCommand`; with `own`, a user's code, which is used as it is. */
  readonly code: string;
  readonly own: boolean;
  /** The message for the instance's log. */
  readonly detail: string;
  /** The query that failed, if one did. */
  readonly evaluated: Evaluated | undefined;

  constructor(kind: FailureKind, code: string, message: string, options: Options = {}) {
    const { own = false, detail = message, evaluated } = options;
    super(message);
    this.detail = detail;
    this.kind = kind;
    this.code = code;
    this.own = own;
    this.evaluated = evaluated;
  }
}

/** The code of failures without a code of their own. */
export const INTERNAL = 'internal.error';

/** The message of a crashed instance; the detail is only in its log. */
export const CRASH_MESSAGE = 'an internal error occurred';

/** The codes the engine raises, each with the kind it always has (workflow-language reference, 7.4). */
export const KIND_OF = {
  'jq.badCommand': 'catchable',
  'jq.notObject': 'catchable',
  'jq.notString': 'catchable',
  'var.invalidKey': 'catchable',
  'var.invalidScope': 'catchable',
  'var.perms': 'catchable',
  'foreach.badArray': 'catchable',
  'parallel.allFailed': 'catchable',
  'retries.exceeded': 'catchable',
  'schema.failed': 'catchable',
  'cancels.timeout.soft': 'catchable',
  'workflow.multipleErrors': 'catchable',
  'limits.activeRuns': 'catchable',
  'limits.runs': 'catchable',
  'limits.descendants': 'catchable',
  'limits.transitions': 'catchable',
  'limits.log': 'catchable',
  'limits.variables': 'catchable',
  'approval.timeout': 'catchable',
  'http.request': 'catchable',
  'http.blocked': 'catchable',
  'http.dns': 'catchable',
  'http.refused': 'catchable',
  'http.tls': 'catchable',
  'http.timeout': 'catchable',
  'http.connection': 'catchable',
  'http.redirects': 'catchable',
  'http.tooLarge': 'catchable',
  'http.response': 'catchable',
  'http.auth': 'catchable',
  'lambda.request': 'catchable',
  'lambda.notFound': 'catchable',
  'lambda.access': 'catchable',
  'lambda.throttled': 'catchable',
  'lambda.timeout': 'catchable',
  'lambda.tooLarge': 'catchable',
  'lambda.response': 'catchable',
  'lambda.service': 'catchable',
  'lambda.failed': 'catchable',
  'mail.request': 'catchable',
  'mail.blocked': 'catchable',
  'mail.dns': 'catchable',
  'mail.tls': 'catchable',
  'mail.timeout': 'catchable',
  'mail.connection': 'catchable',
  'mail.response': 'catchable',
  'mail.auth': 'catchable',
  'mail.rejected': 'catchable',
  'mail.deferred': 'catchable',
  'mail.partial': 'catchable',
  'input.invalid': 'catchable',
  'subflow.notAllowed': 'catchable',
  'subflow.notFound': 'catchable',
  'secrets.refused': 'catchable',
  'secrets.missing': 'catchable',
  'secrets.unavailable': 'catchable',
  'worker.task': 'catchable',
  'worker.failed': 'catchable',
  'cancels.timeout.hard': 'uncatchable',
  'cancels.api': 'uncatchable',
  'flow.refused': 'uncatchable',
  'cancels.parent': 'uncatchable',
  'cancels.event': 'uncatchable',
  'event.jq': 'uncatchable',
  'output.invalid': 'uncatchable',
  'secrets.notFound': 'uncatchable',
  'workflow.invoke': 'uncatchable',
  'workflow.invalid': 'uncatchable',
  'workflow.notfound': 'uncatchable',
} as const satisfies Record<string, FailureKind>;

/** A failure with one of the engine's codes, of the kind that the code has. */
export function failure(code: keyof typeof KIND_OF, message: string, evaluated?: Evaluated): StateError {
  return new StateError(KIND_OF[code], code, message, { evaluated });
}

/**
 * The failure for a name that no variable may have. The message is the one that users of the language know; names are
 * checked by another expression than the one in it (reference, 1.5).
 */
export function invalidKey(key: string): StateError {
  const expression = '^(([a-z][a-z0-9_\\-\\.]*[a-z0-9])|([a-z]))$';
  return failure('var.invalidKey', `variable key must match regex: ${expression} (got: ${key})`);
}

/** A failure with one of the engine's codes that the run cannot catch: it ends at once. */
export function uncatchableFailure(code: keyof typeof KIND_OF, message: string, evaluated?: Evaluated): StateError {
  return new StateError('uncatchable', code, message, { evaluated });
}

/** A fault of the workflow without a code of its own. */
export function plainFailure(message: string): StateError {
  return new StateError('plain', INTERNAL, message);
}

/** A fault of the engine, or of a plan that it cannot run. The message is only for the instance's log. */
export function internalFailure(message: string): StateError {
  return new StateError('internal', INTERNAL, message);
}
