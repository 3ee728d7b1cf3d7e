import type { Client } from '../service/access/client.ts';

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

/** So many namespaces are deleted side by side: some files leave hundreds. */
const ABREAST = 8;

/** Deletes all namespaces: each file of tests finds the place empty. */
export async function clear(client: Client): Promise<void> {
  const found = (await client.call('GET', '/api/namespaces')).json()['results'] as unknown as { name: string }[];
  for (let from = 0; from < found.length; from += ABREAST) {
    const some = found.slice(from, from + ABREAST);
    await Promise.all(some.map(({ name }) => client.call('DELETE', `/api/namespaces/${name}?recursive=true`)));
  }
}

/** The emulator says of a reply without a body that it is JSON; API Gateway says nothing of it. */
export function withoutType(headers: Headers, length: number): Headers {
  const own = new Headers(headers);
  const isMadeUp = length === 0 && own.get('content-type') === 'application/json';
  if (isMadeUp && placeOf() !== undefined) own.delete('content-type');
  return own;
}
