import type { WebProblem } from '../../ports/callees/web.ts';
import type { KIND_OF } from '../evaluation/failures.ts';

/** The causes for which a call over HTTP fails, beside a status that was not expected (docs/http.md). */
export type HttpCause = WebProblem | 'auth';

/** The error code of each cause, without the brand. `http.status.<status>` is the code of an unexpected status. */
export const HTTP_CODES: Readonly<Record<HttpCause, keyof typeof KIND_OF>> = {
  request: 'http.request',
  blocked: 'http.blocked',
  dns: 'http.dns',
  refused: 'http.refused',
  tls: 'http.tls',
  timeout: 'http.timeout',
  connection: 'http.connection',
  redirects: 'http.redirects',
  tooLarge: 'http.tooLarge',
  response: 'http.response',
  auth: 'http.auth',
};

/** The code of a response with a status that was not expected, without the brand. */
export const statusCode = (status: number): string => `http.status.${status}`;
