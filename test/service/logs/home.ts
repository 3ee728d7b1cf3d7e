import { expect } from 'vitest';
import { type Answer, type Client, type Json, rowsOf } from '../access/client.ts';

export const NOOP = 'states:\n- {id: a, type: noop}\n';

export const textsOf = (page: Json): string[] => rowsOf(page['results']).map(({ msg }) => String(msg));
export const timesOf = (page: Json): string[] => rowsOf(page['results']).map(({ t }) => String(t));
/** A namespace with a log. */
export class Home {
  readonly name: string;
  readonly #client: Client;

  private constructor(client: Client, name: string) {
    this.#client = client;
    this.name = name;
  }

  static async open(client: Client, name: string): Promise<Home> {
    const home = new Home(client, name);
    await home.#send('PUT', '');
    return home;
  }

  async #send(method: string, path: string, body?: string | object): Promise<Answer> {
    const given = typeof body === 'string' ? { body } : body === undefined ? {} : { json: body };
    const answer = await this.#client.call(method, `/api/namespaces/${this.name}${path}`, given);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer;
  }

  get = async (path: string): Promise<Json> => (await this.#send('GET', path)).json();
  put = (path: string, body?: string | object) => this.#send('PUT', path, body);
  post = (path: string, body?: string | object) => this.#send('POST', path, body);
  delete = (path: string) => this.#send('DELETE', path);
  workflow = (path: string, source = NOOP) => this.put(`/tree/${path}?op=create-workflow`, source);

  async send(id: string, type: string): Promise<void> {
    const headers = { 'Content-Type': 'application/cloudevents+json' };
    const body = JSON.stringify({ specversion: '1.0', id, type, source: 'tests' });
    await this.#client.call('POST', `/api/namespaces/${this.name}/broadcast`, { body, headers });
  }

  async run(path: string): Promise<string> {
    const answer = await this.post(`/tree/${path}?op=wait`, {});
    return String(answer.headers.get('service-instance-id'));
  }

  log = (query = ''): Promise<Json> => this.get(`/logs${query}`);
  workflowLog = (path: string, query = ''): Promise<Json> => this.get(`/tree/${path}?op=logs${query}`);
  texts = async (query = ''): Promise<string[]> => textsOf(await this.log(query));
  workflowTexts = async (path: string, query = ''): Promise<string[]> => textsOf(await this.workflowLog(path, query));
}
