import { type MailProblem, MailRefusedError, UnreachableError, type WebProblem } from '../../ports/callees/web.ts';
import type { KIND_OF } from '../evaluation/failures.ts';

type Code = keyof typeof KIND_OF;

/** The error codes of a mail that the server refuses, and of one that is invalid, without the brand (docs/mail.md). */
const OF_MAIL: Readonly<Record<MailProblem, Code>> = {
  invalid: 'mail.request',
  login: 'mail.auth',
  rejected: 'mail.rejected',
  deferred: 'mail.deferred',
  partial: 'mail.partial',
};

/** The error codes of a server that cannot be used, without the brand. */
const OF_SERVER: Readonly<Record<WebProblem, Code>> = {
  request: 'mail.request',
  blocked: 'mail.blocked',
  dns: 'mail.dns',
  refused: 'mail.connection',
  tls: 'mail.tls',
  timeout: 'mail.timeout',
  connection: 'mail.connection',
  // SMTP has no redirects, and the size of its replies is limited.
  redirects: 'mail.response',
  tooLarge: 'mail.response',
  response: 'mail.response',
};

/** The code of an error of a delivery, without the brand; undefined for a fault of Weft. */
export function codeOfDelivery(error: unknown): Code | undefined {
  if (error instanceof MailRefusedError) return OF_MAIL[error.problem];
  return error instanceof UnreachableError ? OF_SERVER[error.problem] : undefined;
}
