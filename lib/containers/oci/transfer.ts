import type { IncomingMessage } from 'node:http';
import type { EgressGuard } from '../../egress/guard.ts';
import { type OutgoingRequest, sendRequest } from '../../egress/request.ts';
import { UnreachableError } from '../../ports/callees/web.ts';
import { TransientError } from '../errors.ts';

/** A request to a registry. */
export type RegistryRequest = Omit<OutgoingRequest, 'signal' | 'idleMs'>;

/** A registry that receives a large layer answers slowly. A longer silence means that it does not work. */
const MAX_SILENCE_MS = 180_000;

/** The error code of the name service for a host name that does not exist; its own faults have others. */
const UNKNOWN_HOST = 'ENOTFOUND';

/** More than any manifest or error response of a registry has. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request, and resolves with the response as soon as its headers are there.
 * @throws UnreachableError for an unknown host and for a protected address; TransientError when the connection fails.
 */
export async function sendToRegistry(guard: EgressGuard, url: URL, request: RegistryRequest): Promise<IncomingMessage> {
  try {
    return await sendRequest(guard, url, { ...request, idleMs: MAX_SILENCE_MS });
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = `'${url.host}' cannot be reached: ${code ?? message}`;
    throw code === UNKNOWN_HOST ? new UnreachableError(problem) : new TransientError(problem, { cause: error });
  }
}

/** The whole body of a response that is no layer. @throws TransientError when it breaks off or is too long. */
export async function readBody(response: IncomingMessage, maxBytes = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    throw new TransientError('an answer broke off', { cause: error });
  }
  if (size > maxBytes) throw new TransientError(`an answer is longer than ${maxBytes} bytes`);
  return Buffer.concat(chunks);
}
