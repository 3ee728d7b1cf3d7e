import type { Answer, Client } from '../service/client.ts';

/** A deployment that was made for these tests alone. */
export interface Place {
  readonly url: string;
  readonly key: string;
  /** Where faults between it and AWS are begun and ended, if they can be. */
  readonly faults?: string;
}

/** The places, as JSON; each worker of the test runner has one to itself. */
export const PLACES = 'SERVICE_PLACES';

/** The place of this worker, if there are any. */
export function placeOf(): Place | undefined {
  const places = JSON.parse(process.env[PLACES] ?? '[]') as Place[];
  return places[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % places.length];
}

/** The emulator has been seen to leave a request without an answer. */
const PATIENCE_MS = 25_000;
const MOST_TRIES = 4;

/** Asks again what gets no answer. It may have been done: deleting what is gone is no harm. */
async function insist(client: Client, method: string, path: string): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.call(method, path, { patience: PATIENCE_MS });
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      console.log(`no answer to ${method} ${path}: ${error}`);
    }
  }
}

/** Deletes all namespaces: each file of tests finds the place empty. */
export async function clear(client: Client): Promise<void> {
  const list = (await insist(client, 'GET', '/api/namespaces')).json()['results'] as unknown as { name: string }[];
  for (const { name } of list) await insist(client, 'DELETE', `/api/namespaces/${name}?recursive=true`);
}

/** The emulator says of a reply without a body that it is JSON; API Gateway says nothing of it. */
export function withoutType(headers: Headers, length: number): Headers {
  const own = new Headers(headers);
  const isMadeUp = length === 0 && own.get('content-type') === 'application/json';
  if (isMadeUp && placeOf() !== undefined) own.delete('content-type');
  return own;
}
