import { expect } from 'vitest';
import * as z from 'zod/mini';
import { type Service, startService } from '../../../bin/server/service.ts';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { type ReplyName, replies } from '../../../lib/api/registry/shapes/replies.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { type Script, ScriptedContainers } from '../../contract/scripted-containers.ts';
import { type Client, clientOf, type Json } from '../access/client.ts';
import { type EventReader, openStream } from '../access/event-stream.ts';

/** Shorthands for requests to a service. */
export interface Asking {
  readonly client: Client;
  /** The JSON of a reply, whose shape must be that of its route; an empty reply is `{}`. */
  good(method: string, path: string, body?: object): Promise<Json>;
  /** The status and the message of an error, for example `404 not found`. */
  refusal(method: string, path: string, body?: object | string): Promise<string>;
  /** A stream, by default with the administrator's key. */
  follow(path: string, key?: string): Promise<EventReader>;
  /** Creates a namespace and returns its name. */
  namespace(name?: string): Promise<string>;
}

/** The same for a separate service. */
export interface Space extends Asking {
  readonly service: Service;
  close(): Promise<void>;
}

/** The same over simulated containers. */
export interface ServiceSpace extends Space {
  readonly containers: ScriptedContainers;
}

/** Throws if a body does not have the shape of its route. */
export function needShape(name: ReplyName, body: unknown): void {
  if (name === 'empty' || name === 'bytes') return;
  const result = z.safeParse(replies[name], body);
  if (!result.success) throw new Error(`${name}: ${JSON.stringify(result.error.issues)}: ${JSON.stringify(body)}`);
}

function replyOf(method: string, path: string): ReplyName {
  const { pathname, searchParams } = new URL(path, 'http://any');
  const match = matchRoute(method, pathname, { op: searchParams.getAll('op') });
  if (!('route' in match)) throw new Error(`${method} ${path} is no route`);
  return match.route.reply;
}

export function askingOf(client: Client): Asking {
  let spaces = 0;
  const good = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await client.call(method, path, body === undefined ? {} : { json: body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    if (answer.text === '') return {};
    needShape(replyOf(method, path), answer.json());
    return answer.json();
  };
  return {
    client,
    good,
    refusal: async (method, path, body) => {
      const given = typeof body === 'string' ? { body } : body === undefined ? {} : { json: body };
      const answer = await client.call(method, path, given);
      return `${answer.status} ${answer.json()['message']}`;
    },
    follow: (path, key = client.key) => openStream(client.url, path, { key }),
    namespace: async (name = `space-${++spaces}`) => {
      await good('PUT', `/api/namespaces/${name}`);
      return name;
    },
  };
}

/** Opens a service with separate ports except the given ones; in memory if no folder is given. */
export async function openSpace(given: Partial<Ports> = {}, data?: string): Promise<Space> {
  const settings = { port: 0, host: '127.0.0.1', data, apiKey: undefined, brand: 'service' };
  const service = await startService({ ...settings, databaseEndpoint: undefined, version: 'v0' }, {}, given);
  const client = clientOf(service.url, service.key, () => service.close());
  return { ...askingOf(client), service, close: () => client.close() };
}

/** The same over simulated containers. */
export async function openServiceSpace(script: Script = {}): Promise<ServiceSpace> {
  const containers = new ScriptedContainers(script);
  return { ...(await openSpace({ containers })), containers };
}
