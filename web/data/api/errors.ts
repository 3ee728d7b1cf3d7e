import { WeftError } from '../../../clients/api/client.ts';
import type { ProblemsReply } from '../../../clients/api/operations.ts';
import { clockTime } from '../format/time.ts';

/** A finding of the linter in a workflow text. */
type Finding = ProblemsReply['problems'][number];

/** A problem of a workflow text; one of a text that was refused has no rule, and is an error. */
export type Problem = Pick<Finding, 'message' | 'line' | 'column' | 'hint' | 'text'> &
  Partial<Pick<Finding, 'rule' | 'severity' | 'end' | 'mend'>>;

/** A correction of a workflow text. */
export type Mend = NonNullable<Problem['mend']>;

/** A request that failed: the API's own message, its status, and the problems of a workflow that was refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 when there was no reply. */
  readonly status: number;
  readonly problems: readonly Problem[];
  /** When the service permits the next attempt, milliseconds since 1970. */
  readonly retryAt: number | undefined;

  constructor(
    status: number,
    message: string,
    problems: readonly Problem[] = [],
    retryAt: number | undefined = undefined,
  ) {
    super(message);
    this.status = status;
    this.problems = problems;
    this.retryAt = retryAt;
  }
}

/** The time of a header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
function retryAtOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const at = Number.isNaN(seconds) ? Date.parse(header) : Date.now() + seconds * 1000;
  return Number.isNaN(at) ? undefined : at;
}

/**
 * The error of a failed request, as an error of the API: its message says when the next attempt is permitted; a request
 * without a reply has status 0.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof WeftError) {
    const { problems } = (error.details ?? {}) as { readonly problems?: readonly Problem[] };
    const retryAt = retryAtOf(error.headers.get('retry-after'));
    const next = retryAt === undefined ? '' : `; it can be tried again at ${clockTime(retryAt).slice(0, 8)}`;
    return new ApiError(error.status, `${error.message}${next}`, problems, retryAt);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new ApiError(0, `the service cannot be reached (${reason})`);
}

/** Whether the page itself aborted a request. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
