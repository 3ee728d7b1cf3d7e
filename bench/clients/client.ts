import type { Service } from '../../bin/server/service.ts';

/** The administrator's key of every measured service. */
export const KEY = 'key-of-the-benchmark';

/** The settings of a service in memory, on a free port of the loopback interface. */
export const SETTINGS = {
  port: 0,
  host: '127.0.0.1',
  data: undefined,
  apiKey: KEY,
  brand: 'service',
  version: 'v0',
  databaseEndpoint: undefined,
  // The counts must not depend on the speed of this machine.
  startBudgetMs: 10_000,
};

/** Sends a request and returns the text of the reply. Rejects for a status that is not 2xx. */
export type Send = (method: string, path: string, body?: string) => Promise<string>;

/** Returns a client of a service whose paths begin with `base`, for example `/api/namespaces/bench`. */
export function createClient({ url, key }: Service, base: string): Send {
  return async (method, path, body) => {
    const headers = { 'Service-Api-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(url + base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
}

/** The body of a broadcast: a cloud event of this type and id, with further attributes. */
export function eventOf(type: string, id = type, attributes: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify({ specversion: '1.0', id, source: 'bench', type, ...attributes });
}
