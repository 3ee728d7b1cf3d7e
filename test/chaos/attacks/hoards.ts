import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, follow, type Place, pathOf, send } from './requests.ts';

const ECHO = { echo: 'states:\n- {id: a, type: noop}\n' };
const HOOK = { hook: 'start: {type: webhook, verify: {none: true}}\nstates:\n- {id: a, type: noop}\n' };
const DELAY = { late: 'states:\n- {id: a, type: delay, duration: PT1H}\n' };
const numbered = (count: number, partOf: (at: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, at) => partOf(at)).join(separator);
const workflows = (count: number, text: (at: number) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`w${at}`, text(at)]));

const at = ({ namespace }: Place, path: string): string => `/api/namespaces/${namespace}/${path}`;

/** Opens a connection and writes to it until it is closed or the signal aborts. Replies are not looked at. */
function write({ url }: Place, textOf: (host: string) => Iterable<string>, signal: AbortSignal): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, async () => {
    for (const text of textOf(host)) {
      if (socket.destroyed) return;
      if (!socket.write(text)) await new Promise((drained) => socket.once('drain', drained));
      await sleep(1);
    }
  });
  const end = () => {
    socket.destroy();
    resolve();
  };
  socket.on('error', end).on('close', end).resume();
  signal.addEventListener('abort', end, { once: true });
  return promise;
}

function* bytesInChunks({ namespace, key }: Place, host: string): Generator<string> {
  yield `PUT /api/namespaces/${namespace}/vars/x HTTP/1.1\r\nHost: ${host}\r\nService-Api-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  for (;;) yield '1\r\nx\r\n'.repeat(1000);
}

function* bodyOfBytes(host: string): Generator<string> {
  yield `POST /api/hooks/none HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
  yield `${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`;
}

function* headWithoutEnd(host: string): Generator<string> {
  yield `GET /api/version HTTP/1.1\r\nHost: ${host}\r\n`;
  for (let n = 0; ; n += 1) yield `X-${n}: y\r\n`;
}

const post =
  (path: string, body: string | (() => string), type: string): Attack['strike'] =>
  (place, signal) => {
    const text = typeof body === 'string' ? body : body();
    return send(place, 'POST', at(place, path), { body: text, headers: { 'Content-Type': type }, signal });
  };

const eventOf = (size: number): string => {
  const event = { specversion: '1.0', id: crypto.randomUUID(), source: 'attack', type: 'hoard' };
  return JSON.stringify({ ...event, data: 'x'.repeat(size) });
};
const EVENT = 'application/cloudevents+json';

const FIELDS = numbered(200_000, (n) => `f${n}=1`, '&');
const PARTS = `${numbered(5000, (n) => `--b\r\nContent-Disposition: form-data; name="p${n}"\r\n\r\n1\r\n`)}--b--\r\n`;
const nested = (levels: number): string => `{"v":${'['.repeat(levels)}1${']'.repeat(levels)}}`;
const DEEP = `{"v":[${Array.from({ length: 500 }, () => nested(900)).join(',')}]}`;
const FILTERS = numbered(50, (n) => `filter.field=AS&filter.type=CONTAINS&filter.val=w${n}`, '&');

const hook =
  (body: string, type: string): Attack['strike'] =>
  (place, signal) =>
    send({ ...place, key: '' }, 'POST', `/api/hooks/${place.namespace}/hook`, {
      body,
      headers: { 'Content-Type': type },
      signal,
    });

/** Attacks by what a tenant may own or hold many of: streams, waits, schedules, listeners, variables, connections. */
export const HOARDS = {
  idleStreams: {
    about: 'a thousand streams of lists that do not change',
    workflows: ECHO,
    lanes: 1000,
    strike: (place, signal) => follow(place, at(place, 'instances'), signal),
  },
  waitingRequests: {
    about: '400 requests that wait for runs which wait for an hour',
    workflows: DELAY,
    lanes: 400,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'late', 'wait'), { signal }),
  },
  secondSchedules: {
    about: '200 workflows that start each second',
    workflows: workflows(200, () => `start: {type: scheduled, cron: '@every 1s'}\nstates:\n- {id: a, type: noop}\n`),
    lanes: 1,
    strike: (_place, signal) => sleep(1000, undefined, { signal }),
  },
  similarListeners: {
    about: 'events for 300 workflows whose contexts match them almost',
    workflows: workflows(
      300,
      (n) =>
        `start: {type: event, event: {type: hoard, context: {subject: '*a*b*c*d${n}'}}}\nstates: [{id: a, type: noop}]\n`,
    ),
    lanes: 8,
    strike: post('broadcast', () => eventOf(10), EVENT),
  },
  largeEvents: { about: 'events of 1 MB', lanes: 4, strike: post('broadcast', () => eventOf(1_000_000), EVENT) },
  eventBatches: {
    about: 'batches of 1,000 events that nothing waits for',
    lanes: 4,
    strike: post(
      'broadcast',
      () => `[${Array.from({ length: 1000 }, () => eventOf(1)).join(',')}]`,
      'application/cloudevents-batch+json',
    ),
  },
  deepInputs: {
    about: 'inputs of 500 lists that are nested 900 times',
    workflows: ECHO,
    lanes: 4,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'echo', 'wait'), { body: DEEP, signal }),
  },
  variables: {
    about: 'variables of 8 MB, stored and read',
    lanes: 6,
    strike: async (place, signal, lane) => {
      await send(place, 'PUT', at(place, `vars/v${lane}`), { body: Buffer.alloc(8_000_000, 'x'), signal });
      return send(place, 'GET', at(place, `vars/v${lane}`), { signal });
    },
  },
  formFields: {
    about: 'webhooks with forms of 200,000 fields, without a key',
    workflows: HOOK,
    lanes: 4,
    strike: hook(FIELDS, 'application/x-www-form-urlencoded'),
  },
  formParts: {
    about: 'webhooks with forms of 5,000 parts, without a key',
    workflows: HOOK,
    lanes: 4,
    strike: hook(PARTS, 'multipart/form-data; boundary=b'),
  },
  manyFilters: {
    about: 'lists with 50 filters',
    workflows: ECHO,
    lanes: 8,
    strike: (place, signal) => send(place, 'GET', at(place, `instances?${FILTERS}`), { signal }),
  },
  unknownKeys: {
    about: 'requests with another wrong key each',
    lanes: 50,
    strike: (place, signal) => send({ ...place, key: crypto.randomUUID() }, 'GET', at(place, 'instances'), { signal }),
  },
  escapedPaths: {
    about: 'paths of 15,000 escaped characters',
    lanes: 30,
    strike: (place, signal) => send(place, 'GET', at(place, `tree/${'%2e%2e/'.repeat(2000)}`), { signal }),
  },
  byteChunks: {
    about: 'bodies in chunks of one byte',
    lanes: 8,
    strike: (place, signal) => write(place, (host) => bytesInChunks(place, host), signal),
  },
  newConnections: {
    about: 'new connections, each with a body in 10,000 chunks, without a key',
    lanes: 100,
    strike: (place, signal) => write(place, bodyOfBytes, signal),
  },
  endlessHeads: {
    about: '300 connections whose heads do not end, without a key',
    lanes: 300,
    strike: (place, signal) => write(place, headWithoutEnd, signal),
  },
  deletions: {
    about: 'directories of workflows that are created and deleted',
    lanes: 6,
    strike: async (place, signal, lane) => {
      const folder = `d${lane}-${crypto.randomUUID().slice(0, 8)}`;
      await send(place, 'PUT', pathOf(place, folder, 'create-directory'), { signal });
      const body = ECHO.echo;
      for (let n = 0; n < 20; n += 1)
        await send(place, 'PUT', pathOf(place, `${folder}/w${n}`, 'create-workflow'), { body, signal });
      return send(place, 'DELETE', `${pathOf(place, folder, 'delete-node')}&recursive=true`, { signal });
    },
  },
  revisions: {
    about: 'a workflow that is changed again and again, and its history',
    workflows: ECHO,
    lanes: 6,
    strike: async (place, signal) => {
      const body = `${ECHO.echo}# ${crypto.randomUUID()}\n`;
      await send(place, 'POST', pathOf(place, 'echo', 'update-workflow'), { body, signal });
      return send(place, 'GET', pathOf(place, 'echo', 'history'), { signal });
    },
  },
  widePlans: {
    about: 'runs of a parallel state with 1,000 calls',
    workflows: {
      child: ECHO.echo,
      wide: `functions: [{id: f, type: subflow, workflow: child}]\nstates:\n- id: a\n  type: parallel\n  actions:\n${numbered(1000, () => '  - {function: f}\n')}`,
    },
    lanes: 2,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'wide', 'execute'), { signal }),
  },
} as const satisfies Record<string, Attack>;
