import { isObject } from '../../../language/json.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { SignInError } from '../../../ports/tokens.ts';

/** A document of the issuer arrives within this time, milliseconds, and has at most so many bytes. */
const FETCH_MS = 5_000;
const MAX_BYTES = 512 * 1024;

/** The issuer does not answer as it should. */
export const unavailable = (reason: string): SignInError =>
  new SignInError('unavailable', `the issuer of tokens is at fault: ${reason}`);

/** A JSON object that the issuer sent. */
export interface IssuerDocument {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function textOf(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw unavailable(`${url} has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function read(url: string, accepted: readonly number[], form?: URLSearchParams): Promise<IssuerDocument> {
  const signal = AbortSignal.timeout(FETCH_MS);
  const method = form === undefined ? {} : { method: 'POST', body: form };
  const response = await fetch(url, { ...method, headers: { accept: 'application/json' }, redirect: 'error', signal });
  const { status, headers } = response;
  if (!accepted.includes(status)) {
    await response.body?.cancel();
    throw unavailable(`${url} answers ${status}`);
  }
  const body = parseJson(await textOf(response, url));
  if (!isObject(body)) throw unavailable(`${url} is no JSON object`);
  return { status, headers, body };
}

/**
 * Reads a JSON object of the issuer, by POST if there is a form. Throws SignInError `unavailable`, also for a status that is not
 * accepted.
 */
export async function readDocument(
  url: string,
  accepted: readonly number[] = [200],
  form?: URLSearchParams,
): Promise<IssuerDocument> {
  try {
    return await read(url, accepted, form);
  } catch (error) {
    if (error instanceof SignInError) throw error;
    const { cause, name } = error as Error & { readonly cause?: { readonly code?: string } };
    throw unavailable(`${url} cannot be read (${cause?.code ?? name})`);
  }
}
