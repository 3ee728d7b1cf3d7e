import { Agent, get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getSecure, Agent as SecureAgent } from 'node:https';
import { buffer } from 'node:stream/consumers';

/** Statuses with which the storage reports that it is busy. */
const TRANSIENT = new Set([429, 500, 502, 503, 504]);
const MISSING = 404;

/**
 * Reads the object at a URL. Undefined: it does not exist yet, or the storage is busy or cannot be reached. Throws when
 * the storage rejects the request for good, and at the signal.
 */
export type ReadObject = (url: string, signal: AbortSignal) => Promise<Buffer | undefined>;

type Get = (url: string, options: RequestOptions) => Promise<IncomingMessage>;

/** The storage rejected a request for good. */
class StorageRejectedError extends Error {
  override readonly name = 'StorageRejectedError';
}

/**
 * Reads objects by keep-alive connections, which are closed at the signal: Lambda freezes the process between two
 * calls, and a connection from before may be dead without an error.
 */
export function objectReader(closed: AbortSignal): ReadObject {
  const [plain, secure] = [new Agent({ keepAlive: true }), new SecureAgent({ keepAlive: true })];
  closed.addEventListener('abort', () => [plain, secure].forEach((agent) => void agent.destroy()), { once: true });
  const get: Get = (url, options) =>
    new Promise((resolve, reject) => {
      const request = url.startsWith('https:')
        ? getSecure(url, { ...options, agent: secure }, resolve)
        : getPlain(url, { ...options, agent: plain }, resolve);
      // There may be further errors after the first.
      request.on('error', reject);
    });
  return (url, signal) => readObject(get, url, signal);
}

async function readObject(get: Get, url: string, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    const response = await get(url, { signal });
    const status = response.statusCode ?? 0;
    const bytes = await buffer(response);
    if (status === 200) return bytes;
    if (status === MISSING || TRANSIENT.has(status)) return undefined;
    throw new StorageRejectedError(`the storage answers ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StorageRejectedError) throw error;
    // The connection failed.
    return undefined;
  }
}
