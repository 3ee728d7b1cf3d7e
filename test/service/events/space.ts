import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answer, type Client, type Json, rowsOf } from '../access/client.ts';

/** Polls until the result is not undefined. */
export async function until<T>(poll: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await poll();
    if (found !== undefined) return found;
    await setTimeout(15);
  }
}

/** An event in a test: the missing attributes get default values. */
export type TestEvent = Readonly<Record<string, unknown>>;

/** An instance that has ended. */
export interface Ended {
  readonly status: string;
  readonly code: string;
  readonly output: Json;
}

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };

/** A namespace in which events are sent and workflows listen. */
export class EventSpace {
  readonly home: string;
  private readonly client: Client;
  private readonly name: string;

  constructor(client: Client, name: string) {
    this.client = client;
    this.name = name;
    this.home = `/api/namespaces/${name}`;
  }

  static async open(client: Client, name: string): Promise<EventSpace> {
    expect((await client.call('PUT', `/api/namespaces/${name}`)).status).toBe(200);
    return new EventSpace(client, name);
  }

  call(method: string, path: string, options: Parameters<Client['call']>[2] = {}): Promise<Answer> {
    return this.client.call(method, `${this.home}${path}`, options);
  }

  async store(path: string, body: string): Promise<void> {
    const answer = await this.call('PUT', `/tree/${path}?op=create-workflow`, { body });
    expect(answer.status, answer.text).toBe(200);
  }

  /** Sends a body with unchanged headers. */
  broadcast(body: string | Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('POST', '/broadcast', { body, headers });
  }

  /** Sends an event and returns its id. */
  async send(event: TestEvent): Promise<string> {
    const whole = { specversion: '1.0', id: `${this.name}-${Math.random()}`, source: 'tests', ...event };
    const answer = await this.broadcast(JSON.stringify(whole), STRUCTURED);
    expect(answer.status, answer.text).toBe(200);
    return whole.id;
  }

  /** Sends an event and resolves when it was delivered to all listeners. */
  async sendThrough(event: TestEvent): Promise<string> {
    const id = await this.send(event);
    await until(async () => ((await this.explain(id)) as { routed?: unknown }).routed === true || undefined);
    return id;
  }

  async explain(id: string): Promise<Json> {
    return (await this.call('GET', `/events/${encodeURIComponent(id)}/explain`)).json();
  }

  replay(id: string): Promise<Answer> {
    return this.call('POST', `/events/${encodeURIComponent(id)}/replay`);
  }

  /** The events of the namespace as JSON, the newest first. */
  async events(query = ''): Promise<Json[]> {
    const list = (await this.call('GET', `/events?${query}`)).json()['events'];
    return rowsOf(list?.['results']).map(({ cloudevent }) => {
      return JSON.parse(Buffer.from(String(cloudevent), 'base64').toString()) as Json;
    });
  }

  async listeners(): Promise<readonly Json[]> {
    return rowsOf((await this.call('GET', '/event-listeners')).json()['results']);
  }

  /** The ids of the instances of a workflow, or of all, the oldest first. */
  async instances(path = ''): Promise<string[]> {
    const list = (await this.call('GET', '/instances')).json()['instances'];
    const rows = rowsOf(list?.['results']).filter((row) => String(row['as']).replace(/^\//, '').startsWith(path));
    return rows.map(({ id }) => String(id)).reverse();
  }

  /** Returns the only instance of a workflow, once it exists. */
  first(path: string): Promise<string> {
    return until(async () => (await this.instances(path))[0]);
  }

  async execute(path: string, input: unknown = {}): Promise<string> {
    const answer = await this.call('POST', `/tree/${path}?op=execute`, { json: input });
    expect(answer.status, answer.text).toBe(200);
    return String(answer.json()['instance']);
  }

  /** Resolves when the instance has listeners. */
  async listening(id: string): Promise<void> {
    // The event that cancels a run is listened for from its start: it says nothing about where the run is.
    const waits = async () =>
      (await this.listeners()).some((one) => String(one['instance']) === id && one['cancels'] === undefined);
    await until(async () => (await waits()) || undefined);
  }

  /** Starts an instance and resolves when it has listeners. */
  async executeListening(path: string, input: unknown = {}): Promise<string> {
    const id = await this.execute(path, input);
    await this.listening(id);
    return id;
  }

  ended(id: string): Promise<Ended> {
    return until(async () => {
      const instance = (await this.call('GET', `/instances/${id}`)).json()['instance'];
      if (instance === undefined || String(instance['status']) === 'pending') return undefined;
      const data = String((await this.call('GET', `/instances/${id}/output`)).json()['data']);
      const text = Buffer.from(data, 'base64').toString();
      const output = (text === '' ? {} : JSON.parse(text)) as Json;
      return { status: String(instance['status']), code: String(instance['errorCode']), output };
    });
  }
}
