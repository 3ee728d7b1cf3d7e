/** The kinds of a caller's mistake and the HTTP status each one leaves with (rest-api reference, 1.3). */
export const STATUS_OF = {
  malformed: 400,
  /** List parameters that cannot be read; leaves as text (rest-api reference, 2.2). */
  'bad-list': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  invalid: 406,
  exists: 409,
  'too-large': 413,
  /** Answers 500 because existing clients know these cases by that status; the message says what to mend. */
  refused: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** A caller's mistake. Only its message ever reaches the caller; anything else thrown leaves as a fixed text. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** Further properties of the reply's body. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return STATUS_OF[this.code];
  }
}

/** The row is not there; `label` is the original's word for the kind of row (rest-api reference, 1.3). */
export function notFound(label: string): ServiceError {
  return new ServiceError('not-found', `${label} not found`);
}

export function alreadyExists(): ServiceError {
  return new ServiceError('exists', 'resource already exists');
}

export function invalidField(hint: string): ServiceError {
  return new ServiceError('invalid', 'one or more fields has an invalid value', { hint });
}
