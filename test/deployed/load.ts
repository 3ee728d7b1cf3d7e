import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, CallOptions, Client } from '../service/access/client.ts';

/** The workflows that the load uses. */
export const LOADED = {
  quick: "states: [{id: a, type: noop, transform: 'jq({n: .n})'}]\n",
  awaited: "states: [{id: a, type: noop, transform: 'jq({n: .n})'}]\n",
  nap: "states: [{id: a, type: delay, duration: PT3S, transform: 'jq({n: .n})'}]\n",
  waiting: `
timeouts: {interrupt: PT1H}
states:
- id: a
  type: consumeEvent
  timeout: PT1H
  event: {type: released, context: {order: 'jq(.order)'}}
  transform: 'jq({n: .released.data.n})'
`,
  noticed:
    "start: {type: event, event: {type: noticed}}\nstates: [{id: a, type: noop, transform: 'jq(.noticed.data)'}]\n",
} as const;

/** A workflow of the load. */
export type LoadedWorkflow = keyof typeof LOADED;

/** The effects that the service has acknowledged to the clients. */
export interface LoadReport {
  /** The number of runs that each workflow must have: of `noticed`, the events that were accepted. */
  readonly counts: Readonly<Record<LoadedWorkflow, number>>;
  /** The runs whose ids the clients know, by workflow, in the order of their numbers. */
  readonly ids: Readonly<Record<'quick' | 'nap' | 'waiting', readonly string[]>>;
  /** The last value of each variable. */
  readonly variables: Readonly<Record<string, string>>;
  readonly requests: number;
  /** How requests failed at their first attempt, with the number of each kind. */
  readonly failedFirst: ReadonlyMap<string, number>;
}

const PAUSE_MS = 400;
const RETRY_MS = 250;
const MAX_TRIES = 240;

/** Whether a client repeats a request after this status. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/**
 * Clients of a namespace, as docs/events.md describes them: each repeats a request that was answered by 429 or a fault,
 * or whose connection broke, with the same idempotency key or the same id of an event.
 */
export class Load {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #counts = { quick: 0, awaited: 0, nap: 0, waiting: 0, noticed: 0 };
  readonly #ids = { quick: [] as string[], nap: [] as string[], waiting: [] as string[] };
  readonly #variables: Record<string, string> = {};
  readonly #failedFirst = new Map<string, number>();
  #requests = 0;
  #goesOn = true;
  #clients: Promise<unknown> = Promise.resolve();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Starts the clients. */
  start(): void {
    const clients = [
      this.#repeat((n) => this.#execute('quick', n, { n })),
      this.#repeat((n) => this.#execute('nap', n, { n })),
      this.#repeat((n) => this.#execute('waiting', n, { order: orderOf(n) })),
      this.#repeat((n) => this.#wait(n)),
      this.#repeat((n) => this.#notice(n)),
      this.#repeat((n) => this.#setVariable(`v${n % 3}`, String(n))),
    ];
    this.#clients = Promise.all(clients);
    // The error of a client is that of `stop`.
    this.#clients.catch(() => undefined);
  }

  /** Ends the clients, each after its last request was accepted. Throws if a client got an unexpected reply. */
  async stop(): Promise<LoadReport> {
    this.#goesOn = false;
    await this.#clients;
    const counts = { ...this.#counts };
    const ids = this.#ids;
    return { counts, ids, variables: this.#variables, requests: this.#requests, failedFirst: this.#failedFirst };
  }

  /** Sends the event for which the n-th run of `waiting` waits. */
  release(n: number): Promise<void> {
    return this.#send('released', n, { order: orderOf(n) });
  }

  async #repeat(work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; this.#goesOn; n += 1) {
      await work(n);
      await sleep(PAUSE_MS);
    }
  }

  async #execute(workflow: 'quick' | 'nap' | 'waiting', n: number, json: object): Promise<void> {
    const answer = await this.#post(`tree/${workflow}?op=execute`, json, keyOf(workflow, n));
    this.#ids[workflow].push(String(answer.json()['instance']));
    this.#counts[workflow] += 1;
  }

  async #wait(n: number): Promise<void> {
    const answer = await this.#post('tree/awaited?op=wait', { n }, keyOf('awaited', n));
    if (Number(answer.json()['n']) !== n) throw new Error(`the output of run ${n} is ${answer.text}`);
    this.#counts.awaited += 1;
  }

  async #notice(n: number): Promise<void> {
    await this.#send('noticed', n, {});
    this.#counts.noticed += 1;
  }

  async #send(type: string, n: number, attributes: object): Promise<void> {
    const event = { specversion: '1.0', id: `${type}-${n}`, source: 'load', type, ...attributes, data: { n } };
    // 409: an attempt whose answer was lost was accepted.
    await this.#post('broadcast', event, { 'Content-Type': 'application/cloudevents+json' }, [200, 409]);
  }

  async #setVariable(name: string, body: string): Promise<void> {
    await this.#request('PUT', `vars/${name}`, { body });
    this.#variables[name] = body;
    const { text } = await this.#request('GET', `vars/${name}`, {});
    if (text !== body) throw new Error(`the variable ${name} was set to ${body} and is ${text}`);
  }

  #post(path: string, json: object, headers: Readonly<Record<string, string>>, accepted?: readonly number[]) {
    return this.#request('POST', path, { json, headers }, accepted);
  }

  async #request(method: string, path: string, options: CallOptions, accepted = [200] as readonly number[]) {
    this.#requests += 1;
    let failure = '';
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const answer = await this.#attempt(method, path, options);
      if (answer instanceof Error) failure = answer.message;
      else if (!isTransient(answer.status)) {
        if (accepted.includes(answer.status)) return answer;
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      } else failure = `${answer.status} ${answer.text}`;
      if (tries === 1) this.#failedFirst.set(failure, (this.#failedFirst.get(failure) ?? 0) + 1);
      await sleep(RETRY_MS);
    }
    throw new Error(`${method} ${path} was repeated ${MAX_TRIES} times, at last: ${failure}`);
  }

  /** One attempt; the error of a connection that broke. */
  async #attempt(method: string, path: string, options: CallOptions): Promise<Answer | TypeError> {
    try {
      return await this.#client.call(method, `/api/namespaces/${this.#namespace}/${path}`, options);
    } catch (error) {
      if (error instanceof TypeError) return error;
      throw error;
    }
  }
}

const orderOf = (n: number): string => `order-${n}`;

const keyOf = (workflow: string, n: number) => ({ 'Idempotency-Key': `${workflow}-${n}` });
