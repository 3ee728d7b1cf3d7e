import { startService } from '../../../bin/server/service.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';
import { deleteNamespaces, targetOfWorker, withoutFalseType } from '../../deployed/target.ts';

/** A service under test: one in this process, or the one that SERVICE_URL and SERVICE_KEY name. */
export interface Client {
  readonly url: string;
  readonly key: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly body?: string | Uint8Array;
  /** Sent as JSON in place of `body`. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A key other than the administrator's; null: none. */
  readonly key?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body as JSON, loosely typed: each test asserts its shape. */
  json(): Json;
}

/** JSON with a loose type: a test can read any name. */
export interface Json {
  readonly [name: string]: Json;
}

/** The rows of a list. */
export const rowsOf = (list: Json | undefined): readonly Json[] => list as unknown as readonly Json[];

/** A client of the service at a URL. */
export function clientOf(url: string, key: string, close: () => Promise<void>): Client {
  const call: Client['call'] = async (method, path, options = {}) => {
    const used = options.key === undefined ? key : options.key;
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(used === null ? {} : { 'Service-Api-Key': used }), ...options.headers },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const headers = withoutFalseType(response.headers, bytes.length);
    return { status: response.status, headers, bytes, text, json: () => JSON.parse(text) as Json };
  };
  return { url, key, call, close };
}

/** Opens the service that the tests of a file use. */
export async function openClient(): Promise<Client> {
  const { SERVICE_URL, SERVICE_KEY } = process.env;
  const place = targetOfWorker();
  if (place !== undefined) {
    const client = clientOf(place.url, place.key, async () => {});
    await deleteNamespaces(client);
    return client;
  }
  if (SERVICE_URL !== undefined) return clientOf(SERVICE_URL, SERVICE_KEY ?? '', async () => {});
  return openOwnClient();
}

/** Opens a separate service, which the test may stop. */
export async function openOwnClient(): Promise<Client> {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  // Only tests about containers pull images.
  const containers = new ScriptedContainers();
  const local = { ...settings, databaseEndpoint: undefined, version: packageVersion() };
  const service = await startService(local, {}, { containers });
  return clientOf(service.url, service.key, () => service.close());
}
