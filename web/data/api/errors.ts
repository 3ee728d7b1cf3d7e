import { clockTime } from '../format/time.ts';
import type { ProblemsReply } from './operations.ts';

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

interface FailureBody {
  readonly message?: unknown;
  readonly problems?: readonly Problem[];
}

function parsed(text: string): FailureBody {
  try {
    return JSON.parse(text) as FailureBody;
  } catch {
    return {};
  }
}

/** The time of a header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
function retryAtOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const at = Number.isNaN(seconds) ? Date.parse(header) : Date.now() + seconds * 1000;
  return Number.isNaN(at) ? undefined : at;
}

/** The error of a reply with this text, which is JSON or plain; its message says when the next attempt is permitted. */
export function failureOf(status: number, text: string, retryAfter: string | null, statusText = ''): ApiError {
  const { message, problems } = parsed(text);
  const plain = text.trim() === '' ? `the service replied ${status} ${statusText}`.trim() : text.trim();
  const words = typeof message === 'string' ? message : plain;
  const retryAt = retryAtOf(retryAfter);
  const next = retryAt === undefined ? '' : `; it can be tried again at ${clockTime(retryAt).slice(0, 8)}`;
  return new ApiError(status, `${words}${next}`, problems, retryAt);
}

/** Reads the error of a reply. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  return failureOf(status, await response.text(), headers.get('retry-after'), statusText);
}

/** The error of a failed request, as an error of the API: a request that got no reply has status 0. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ApiError(0, `the service cannot be reached (${reason})`);
}

/** Whether a request was given up by the page itself. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
