import { fromHeader } from '../../language/media/header-text.ts';
import type { ContainerResult } from '../../ports/containers.ts';
import type { CallOutcome } from './call-session.ts';
import { failedResult } from './protocol.ts';

const MAX_MESSAGE_BYTES = 64 * 1024;

/** The result that the answer of a function means (workflow-language reference, 11.3). */
export function toResult({ answered, body, outputs }: CallOutcome): ContainerResult {
  const failure = failureOf(answered, body);
  return failure === undefined ? { body, outputs } : { ...failedResult(failure.message, failure.code), outputs };
}

/** A status outside 200 to 299 without error headers is the error `container failed`, with the body as its message. */
function failureOf(answered: CallOutcome['answered'], body: Buffer): ContainerResult['failure'] {
  const { status, errorCode, errorMessage, problem } = answered;
  if (problem !== '') return { code: '', message: problem };
  if (errorCode !== '' || errorMessage !== '') return { code: errorCode, message: fromHeader(errorMessage) };
  if (status >= 200 && status <= 299) return undefined;
  return { code: 'container failed', message: body.toString('utf8', 0, MAX_MESSAGE_BYTES) };
}
