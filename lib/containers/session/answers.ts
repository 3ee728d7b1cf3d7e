import type { ContainerResult } from '../../ports/containers.ts';
import type { Told } from './call-session.ts';
import { failed } from './protocol.ts';

const MOST_MESSAGE_BYTES = 64 * 1024;

/** What a container's answer means (workflow-language reference, 11.3). */
export function resultOf({ answered, body, outputs }: Told): ContainerResult {
  const failure = failureIn(answered, body);
  return failure === undefined ? { body, outputs } : { ...failed(failure.message, failure.code), outputs };
}

/**
 * A status outside 200 to 299 without a word of an error is the error `container failed`: nobody wants an error page
 * for a result.
 */
function failureIn(answered: Told['answered'], body: Buffer): ContainerResult['failure'] {
  const { status, errorCode, errorMessage, problem } = answered;
  if (problem !== '') return { code: '', message: problem };
  if (errorCode !== '' || errorMessage !== '') return { code: errorCode, message: errorMessage };
  if (status >= 200 && status <= 299) return undefined;
  return { code: 'container failed', message: body.toString('utf8', 0, MOST_MESSAGE_BYTES) };
}
