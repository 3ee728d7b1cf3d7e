import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Api, Reply, RequestBody } from '../durability/api.ts';

const PAUSE_MS = 200;
/** A request that gets no other reply than a fault for this long is stuck. */
const PATIENCE_MS = 60_000;
/** The status of a repeated request, by method, if the first one had its effect although its reply was a fault. */
const DONE_BEFORE: Readonly<Record<string, number>> = { POST: 409, PUT: 409, DELETE: 404 };

/** A client that repeats a request that got 5xx, as its documentation asks, until it gets another reply. */
export class PatientApi implements Api {
  /** How many requests were repeated. */
  retried = 0;
  private readonly api: Api;
  private isEnding = false;
  private lastSuccess = Date.now();

  constructor(api: Api) {
    this.api = api;
  }

  /** From now on, each new request is rejected as if the service were gone. */
  end(): void {
    this.isEnding = true;
  }

  async call(method: string, path: string, body: RequestBody = {}): Promise<Reply> {
    if (this.isEnding) throw new TypeError('the load ends');
    const key = path.includes('op=execute') || path.includes('op=wait') ? keyOf(body) : undefined;
    const request = key === undefined ? body : { ...body, key };
    this.lastSuccess = Math.max(this.lastSuccess, Date.now());
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.api.call(method, path, request);
      if (reply.status < 500) {
        this.lastSuccess = Date.now();
        return attempt > 1 && reply.status === DONE_BEFORE[method] ? { ...reply, status: 200 } : reply;
      }
      if (attempt === 1) this.retried += 1;
      if (Date.now() - this.lastSuccess > this.patience) throw new Error(`${method} ${path} is stuck: ${reply.bytes}`);
      await setTimeout(PAUSE_MS);
    }
  }

  private get patience(): number {
    return this.isEnding ? PATIENCE_MS : Number.POSITIVE_INFINITY;
  }
}

const keyOf = ({ body = '' }: RequestBody): string => createHash('sha256').update(body).digest('hex');
