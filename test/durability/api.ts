import type { Running } from './process.ts';

/** A reply of the service. */
export interface Reply {
  readonly status: number;
  readonly bytes: Buffer;
}

export interface RequestBody {
  readonly body?: string | Uint8Array;
  readonly type?: string;
  /** Makes a repeated request start no second run. */
  readonly key?: string;
}

/** Requests to the API of a running service, in one namespace. */
export interface Api {
  /** Rejects when the service ends before the whole reply is here. */
  call(method: string, path: string, body?: RequestBody): Promise<Reply>;
}

/** The API of a namespace; paths are relative to it. */
export function apiOf({ url, key }: Pick<Running, 'url' | 'key'>, namespace: string): Api {
  return {
    async call(method, path, { body, type = 'application/json', key: idempotencyKey } = {}) {
      const response = await fetch(`${url}/api/namespaces/${namespace}${path}`, {
        method,
        headers: {
          'Service-Api-Key': key,
          ...(body === undefined ? {} : { 'Content-Type': type }),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
      });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    },
  };
}

/** The bytes of a reply with status 200. Throws Error for any other status. */
export function bytesOf({ status, bytes }: Reply, what: string): Buffer {
  if (status === 200) return bytes;
  throw new Error(`${what} got ${status}: ${bytes.toString('utf8', 0, 200)}`);
}

/** The JSON of a reply with status 200. Throws Error for any other status. */
export const jsonOf = <T>(reply: Reply, what: string): T => JSON.parse(bytesOf(reply, what).toString()) as T;
