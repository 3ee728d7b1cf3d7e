import { Refusal } from './command.ts';

/** Options of every command that talks to a service. */
export const SERVICE_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const SERVICE_NOTES = [
  '--url URL         where the service is (else WEFT_URL, else http://127.0.0.1:8080)',
  '--key KEY         the key to send (else WEFT_KEY, which other users of the machine cannot see)',
];

const LONGEST_CALL_MS = 30_000;

interface Place {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** Calls the service and answers the JSON of its reply, or undefined where it has none. Throws Refusal. */
export async function call(place: Place, method: string, path: string, body?: unknown): Promise<unknown> {
  const { WEFT_URL, WEFT_KEY } = process.env;
  const url = (place.url ?? (WEFT_URL || 'http://127.0.0.1:8080')).replace(/\/+$/, '');
  const key = place.key ?? WEFT_KEY ?? '';
  const { status, text } = await send(`${url}${path}`, {
    method,
    // Another host must not get the key.
    redirect: 'error',
    headers: key === '' ? {} : { 'Service-Api-Key': key },
    signal: AbortSignal.timeout(LONGEST_CALL_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const value = toValue(text);
  if (status >= 400) throw new Refusal(`${status}: ${messageOf(value) ?? text.trim()}`);
  if (value === undefined && text !== '') throw new Refusal(`what answers at ${url} is not Weft`);
  return value;
}

async function send(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new Refusal(`${url} cannot be reached: ${reasonOf(error)}`);
  }
}

/** `fetch` hides the reason in the cause; of a host with several addresses only the code says it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || code || String(cause);
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(value: unknown): string | undefined {
  const hasMessage = typeof value === 'object' && value !== null && 'message' in value;
  return hasMessage ? String(value.message) : undefined;
}
