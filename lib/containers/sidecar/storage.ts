import { Agent, get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getSecure, Agent as SecureAgent } from 'node:https';
import { buffer } from 'node:stream/consumers';

/** What passes by itself: the storage is busy. */
const PASSING = new Set([429, 500, 502, 503, 504]);
const MISSING = 404;

/** What is at an address; undefined: nothing yet, or it cannot be told just now. Throws for what stays so. */
export type Look = (url: string, signal: AbortSignal) => Promise<Buffer | undefined>;

type Ask = (url: string, options: RequestOptions) => Promise<IncomingMessage>;

/**
 * Looks by connections that are kept until the signal and no longer: Lambda lets everything stand still between two
 * calls, and what was open before may lead nowhere after it, without a word.
 */
export function lookUntil(over: AbortSignal): Look {
  const [plain, secure] = [new Agent({ keepAlive: true }), new SecureAgent({ keepAlive: true })];
  over.addEventListener('abort', () => [plain, secure].forEach((agent) => void agent.destroy()), { once: true });
  const ask: Ask = (url, options) =>
    new Promise((resolve, reject) => {
      const asked = url.startsWith('https:')
        ? getSecure(url, { ...options, agent: secure }, resolve)
        : getPlain(url, { ...options, agent: plain }, resolve);
      // More than one may come, the later ones when nobody waits any more.
      asked.on('error', reject);
    });
  return (url, signal) => look(ask, url, signal);
}

async function look(ask: Ask, url: string, signal: AbortSignal): Promise<Buffer | undefined> {
  try {
    const answer = await ask(url, { signal });
    const status = answer.statusCode ?? 0;
    const bytes = await buffer(answer);
    if (status === 200) return bytes;
    if (status === MISSING || PASSING.has(status)) return undefined;
    throw new Refusal(`the storage answers ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Refusal) throw error;
    // It broke off, or could not be reached.
    return undefined;
  }
}

class Refusal extends Error {}
