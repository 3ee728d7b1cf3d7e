import { networkInterfaces } from 'node:os';
import type { Client } from '../service/access/client.ts';

/** A deployment that only these tests use. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** The URL that starts and stops faults between it and AWS (proxy.ts). */
  readonly faults?: string;
}

/** The address of a server for a service on this machine. */
export const LOOPBACK = '127.0.0.1';

/** The environment variable with the targets as JSON; each worker of the test runner uses one. */
export const TARGETS = 'SERVICE_TARGETS';

/** The target of this worker, if there are any. */
export function targetOfWorker(): Target | undefined {
  const targets = JSON.parse(process.env[TARGETS] ?? '[]') as Target[];
  return targets[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % targets.length];
}

/** Whether the tests call a service that is deployed, behind a gateway and on another machine. */
export const isDeployed = (): boolean => process.env['SERVICE_URL'] !== undefined || targetOfWorker() !== undefined;

/**
 * The address at which the service under test reaches a server of this machine; undefined: it cannot. Functions on AWS reach no
 * loopback address, and those of an emulator another one of this machine, if the namespace opens it by `egress`.
 */
export function addressOfServers(): string | undefined {
  if (!isDeployed()) return LOOPBACK;
  if (targetOfWorker()?.faults === undefined) return undefined;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

/** The number of namespaces that are deleted at the same time: some test files leave hundreds. */
const CONCURRENCY = 8;

/** Deletes all namespaces, so that each test file starts without any. */
export async function deleteNamespaces(client: Client): Promise<void> {
  const found = (await client.call('GET', '/api/namespaces')).json()['results'] as unknown as { name: string }[];
  for (let from = 0; from < found.length; from += CONCURRENCY) {
    const some = found.slice(from, from + CONCURRENCY);
    await Promise.all(some.map(({ name }) => client.call('DELETE', `/api/namespaces/${name}?recursive=true`)));
  }
}

/** The headers without the content type that the emulator, unlike API Gateway, adds to a response without a body. */
export function withoutFalseType(headers: Headers, length: number): Headers {
  const own = new Headers(headers);
  const isFalse = length === 0 && own.get('content-type') === 'application/json';
  if (isFalse && targetOfWorker() !== undefined) own.delete('content-type');
  return own;
}
