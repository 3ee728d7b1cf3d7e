/**
 * How a state fails (workflow-language reference, 7.1). `catchable` is looked up in the state's catch; `uncatchable`
 * and `plain` fail the instance at once; `internal` crashes it and shows its detail only in the instance's log.
 */
export type FailureKind = 'catchable' | 'uncatchable' | 'plain' | 'internal';

export class StateFailure extends Error {
  override readonly name = 'StateFailure';
  readonly kind: FailureKind;
  /** Without the brand: `jq.badCommand`; a user's own code stands as it is and `own` is true. */
  readonly code: string;
  readonly own: boolean;
  /** What the instance's log says, where that is more than the message. */
  readonly detail: string;

  constructor(kind: FailureKind, code: string, message: string, { own = false, detail = message } = {}) {
    super(message);
    this.detail = detail;
    this.kind = kind;
    this.code = code;
    this.own = own;
  }
}

export const INTERNAL = 'internal.error';

/** What the outside learns of an internal error; its detail is for the instance's log alone. */
export const CRASH_MESSAGE = 'an internal error occurred';

/** The codes the engine raises, each with the kind it always has (workflow-language reference, 7.4). */
export const KIND_OF = {
  'jq.badCommand': 'catchable',
  'jq.notObject': 'catchable',
  'jq.notString': 'catchable',
  'var.invalidKey': 'catchable',
  'var.invalidScope': 'catchable',
  'foreach.badArray': 'catchable',
  'parallel.allFailed': 'catchable',
  'retries.exceeded': 'catchable',
  'schema.failed': 'catchable',
  'cancels.timeout.soft': 'catchable',
  'workflow.multipleErrors': 'catchable',
  'cancels.timeout.hard': 'uncatchable',
  'cancels.api': 'uncatchable',
  'cancels.parent': 'uncatchable',
  'event.jq': 'uncatchable',
  'secrets.notFound': 'uncatchable',
  'workflow.invoke': 'uncatchable',
  'workflow.invalid': 'uncatchable',
  'workflow.notfound': 'uncatchable',
} as const satisfies Record<string, FailureKind>;

export function failure(code: keyof typeof KIND_OF, message: string): StateFailure {
  return new StateFailure(KIND_OF[code], code, message);
}

/** The text is the one that users of the language know; its expression is not the one that decides (reference, 1.5). */
export function invalidKey(key: string): StateFailure {
  const expression = '^(([a-z][a-z0-9_\\-\\.]*[a-z0-9])|([a-z]))$';
  return failure('var.invalidKey', `variable key must match regex: ${expression} (got: ${key})`);
}

/** A fault of the workflow that has no code of its own. */
export function plainFailure(message: string): StateFailure {
  return new StateFailure('plain', INTERNAL, message);
}

export function internalFailure(message: string): StateFailure {
  return new StateFailure('internal', INTERNAL, message);
}
