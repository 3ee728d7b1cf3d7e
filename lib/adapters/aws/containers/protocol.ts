import type { ContainerCall, ContainerResult } from '../../../ports.ts';

/** A header in both spellings (workflow-language reference, 11). */
export function spellings(name: string, value: string): Record<string, string> {
  return { [`Direktiv-${name}`]: value, [`Service-${name}`]: value };
}

/** What a container learns of its call beside the input (workflow-language reference, 11.1 and 11.2). */
export function headersOf({ instanceId, namespace, step, iterator, deadline }: ContainerCall): Record<string, string> {
  return {
    ...spellings('InstanceID', instanceId),
    ...spellings('Namespace', namespace),
    ...spellings('Step', String(step)),
    ...spellings('Deadline', new Date(deadline).toISOString()),
    ...(iterator === undefined ? {} : spellings('Iterator', String(iterator))),
  };
}

/** What a container answered; `errorCode` and `errorMessage` are empty where it has no such headers. */
export interface Answer {
  readonly status: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly body: Buffer;
}

const MOST_MESSAGE_BYTES = 64 * 1024;

/**
 * What went wrong by a container's own answer (workflow-language reference, 11.3). A status outside 200 to 299 without
 * a word of an error is the error `container failed`: nobody wants an error page for a result.
 */
export function failureIn({ status, errorCode, errorMessage, body }: Answer): ContainerResult['failure'] {
  if (errorCode !== '' || errorMessage !== '') return { code: errorCode, message: errorMessage };
  if (status >= 200 && status <= 299) return undefined;
  return { code: 'container failed', message: body.toString('utf8', 0, MOST_MESSAGE_BYTES) };
}

export const CANCELLED = 'the call was cancelled';
export const LATE = 'the call was not answered before its deadline';

/** A result that says what went wrong around a call; without a code it is a crash. */
export function failed(message: string, code = ''): ContainerResult {
  return { body: new Uint8Array(), failure: { code, message }, outputs: [] };
}
