/** The codes of a caller's mistakes, and the HTTP status of each (rest-api reference, 1.3). */
export const STATUS_OF = {
  malformed: 400,
  /** Malformed list parameters; the reply is plain text (rest-api reference, 2.2). */
  'bad-list': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  invalid: 406,
  /** The body of a request came too slowly. */
  'too-slow': 408,
  exists: 409,
  /** A thing that the request depends on was changed meanwhile, and a retry does not help. */
  conflict: 409,
  'too-large': 413,
  /** A limit of the caller or of a namespace; `retryAfter` has the seconds after which a new attempt may succeed. */
  'too-many': 429,
  /** 500, because existing clients know these mistakes by that status; the message names the correction. */
  refused: 500,
  unavailable: 503,
  /** A quota of a namespace or of the installation is used up. */
  'over-quota': 507,
} as const;

/** The code of a caller's mistake. */
export type ErrorCode = keyof typeof STATUS_OF;

/** A caller's mistake. Its message is the reply; the reply to any other error is a fixed text. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** Further members of the reply's body. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which a new attempt may succeed: the header `Retry-After` of the reply. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    retryAfter: number | undefined = undefined,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return STATUS_OF[this.code];
  }
}

/** There is no such row; `label` is the original's word for its kind (rest-api reference, 1.3). */
export function notFound(label: string): ServiceError {
  return new ServiceError('not-found', `${label} not found`);
}

/** `what` names the limit that is reached: `20 jq requests of this key wait`. After `seconds` a new attempt may succeed. */
export function tooMany(what: string, seconds: number): ServiceError {
  return new ServiceError('too-many', `${what}; try again later`, {}, seconds);
}

/** Returns undefined for an error that says that there is no such row; throws any other. */
export function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'not-found') throw error;
}

/** There is a row with this name already. */
export function alreadyExists(): ServiceError {
  return new ServiceError('exists', 'resource already exists');
}

/** A field has an invalid value; `hint` names the valid values. */
export function invalidField(hint: string): ServiceError {
  return new ServiceError('invalid', 'one or more fields has an invalid value', { hint });
}

/** Another request changed the thing at the same time; `what` names it: `namespace 'demo'`. */
export function changedMeanwhile(what: string): ServiceError {
  return new ServiceError('unavailable', `${what} was changed at this moment; try again`);
}
