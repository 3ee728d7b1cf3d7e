import type { ProblemsReply } from './operations.ts';

/** What the linter finds in a workflow text. */
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

  constructor(status: number, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.status = status;
    this.problems = problems;
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

/** Reads the error of a reply, which is JSON or plain text. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { message, problems } = parsed(text);
  const plain = text.trim() === '' ? `the service replied ${response.status} ${response.statusText}` : text.trim();
  return new ApiError(response.status, typeof message === 'string' ? message : plain, problems);
}

/** What a request failed with, as an error of the API: a request that got no reply has status 0. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ApiError(0, `the service cannot be reached (${reason})`);
}

/** Whether a request was given up by the page itself. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
