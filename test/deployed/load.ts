import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from '../service/access/client.ts';

/** A run that the load has started, and the output that it must have. */
export interface StartedRun {
  readonly id: string;
  readonly n: number;
  readonly output: object;
}

/** What a load has done. */
export interface LoadReport {
  readonly started: readonly StartedRun[];
  /** The number of events that were accepted. */
  readonly sent: number;
  /** The answers with a status of 500 or more that the service itself has given: in its own form. */
  readonly ownFaults: readonly string[];
}

/** A load that goes on until it is stopped. */
export interface Load {
  stop(): Promise<LoadReport>;
}

const PAUSE_MS = 100;
const MAX_TRIES = 60;

/** Whether an answer comes from Weft. The emulator ends the calls of functions that it updates, and answers in their place. */
const isOwn = ({ text }: Answer): boolean => /^\{"code":\d+,"message":/.test(text) && !text.includes('API Gateway');

class Sender {
  readonly #client: Client;
  readonly #namespace: string;
  readonly started: StartedRun[] = [];
  readonly ownFaults: string[] = [];
  sent = 0;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Sends a request as a careful client does: again, with the same key, while there is no answer of the service. */
  async #request(path: string, json: object, headers: Readonly<Record<string, string>>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const url = `/api/namespaces/${this.#namespace}/${path}`;
      const answer = await this.#client.call('POST', url, { json, headers }).catch(() => undefined);
      if (answer !== undefined && answer.status < 500) return answer;
      if (answer !== undefined && isOwn(answer)) this.ownFaults.push(`${path}: ${answer.status} ${answer.text}`);
      if (tries === MAX_TRIES) throw new Error(`${path} has no answer: ${answer?.status} ${answer?.text}`);
      await sleep(PAUSE_MS);
    }
  }

  async start(workflow: string, n: number, output: object): Promise<void> {
    const headers = { 'Idempotency-Key': `load-${workflow}-${n}` };
    const answer = await this.#request(`tree/${workflow}?op=execute`, { n }, headers);
    if (answer.status !== 200) throw new Error(`${workflow} did not start: ${answer.status} ${answer.text}`);
    this.started.push({ id: String(answer.json()['instance']), n, output });
  }

  /** An id that is known already was accepted by an attempt whose answer was lost. */
  async send(n: number): Promise<void> {
    const event = { specversion: '1.0', id: `load-${n}`, source: 'shop', type: 'placed', data: { n } };
    const answer = await this.#request('broadcast', event, { 'Content-Type': 'application/cloudevents+json' });
    if (answer.status !== 200 && answer.status !== 409) throw new Error(`an event: ${answer.status} ${answer.text}`);
    this.sent += 1;
  }
}

/** Sends requests to a namespace with the workflows `noop`, `doze` and, started by the events, `placed`. */
export function sendLoad(client: Client, namespace: string): Load {
  const sender = new Sender(client, namespace);
  let goesOn = true;
  const work = async (): Promise<void> => {
    for (let n = 0; goesOn; n += 1) {
      await sender.start('noop', n, { n });
      await sender.start('doze', n, { n });
      await sender.send(n);
      await sleep(PAUSE_MS);
    }
  };
  const done = work();
  done.catch(() => undefined);
  return {
    async stop() {
      goesOn = false;
      await done;
      return sender;
    },
  };
}
