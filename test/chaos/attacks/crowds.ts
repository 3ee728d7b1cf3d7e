import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, follow, type Place, pathOf, send } from './requests.ts';

/** Sends requests on one connection without waiting for replies, and reads all of them. */
function pipeline({ url }: Place, path: string, count: number, headers: string, signal: AbortSignal): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const one = (more: string): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}${more}\r\n`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => {
    socket.write(one('').repeat(count - 1) + one('Connection: close\r\n'));
  });
  const end = () => {
    socket.destroy();
    resolve();
  };
  socket.on('error', end).on('close', end).resume();
  signal.addEventListener('abort', end, { once: true });
  return promise;
}

const ECHO = { echo: 'states:\n- {id: a, type: noop}\n' };
const HOOK = { hook: 'start: {type: webhook, verify: {none: true}}\nstates:\n- {id: a, type: noop}\n' };

const instancesOf = ({ namespace }: Place): string => `/api/namespaces/${namespace}/instances`;

/** Starts so many runs. */
async function startRuns(place: Place, count: number): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let n = 0; n < count / 8; n += 1) {
      while ((await send(place, 'POST', pathOf(place, 'echo', 'execute'))) === 429) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

const ROWS = 3000;

const rows = { workflows: ECHO, ready: (place: Place) => startRuns(place, ROWS) };

const MANY = 400_000;
const objectOf = (count: number, nameOf: (n: number) => string): string =>
  `{${Array.from({ length: count }, (_, n) => `"${nameOf(n)}":1`).join(',')}}`;
const MANY_KEYS = objectOf(MANY, (n) => `key${n}`);
const INTEGER_KEYS = objectOf(MANY, (n) => String(n * 7919));
/** As many as a webhook takes, 4 MiB. */
const WEBHOOK_KEYS = objectOf(300_000, (n) => String(n * 7919));

const run =
  (body: string): Attack['strike'] =>
  (place, signal) =>
    send(place, 'POST', pathOf(place, 'echo', 'wait'), { body, signal });

/** Attacks by many requests on few connections, by long lists, by streams that watch them, and by objects of many keys. */
export const CROWDS = {
  pipelinedDescription: {
    about: 'a thousand requests for the description of the API at once on a connection, without a key',
    lanes: 2,
    strike: (place, signal) => pipeline(place, '/api/openapi.json', 1000, '', signal),
  },
  pipelinedLists: {
    about: 'three thousand lists of runs at once on a connection',
    ...rows,
    lanes: 2,
    strike: (place, signal) => pipeline(place, instancesOf(place), 3000, `Service-Api-Key: ${place.key}\r\n`, signal),
  },
  listsWithoutLimit: {
    about: 'lists of runs without a limit',
    ...rows,
    lanes: 8,
    strike: (place, signal) => send(place, 'GET', instancesOf(place), { signal }),
  },
  listStreams: {
    about: '150 streams of a list of runs that changes all the time',
    ...rows,
    lanes: 151,
    strike: async (place, signal, lane) => {
      if (lane > 0) return follow(place, instancesOf(place), signal);
      await send(place, 'POST', pathOf(place, 'echo', 'execute'), { signal });
      return sleep(20);
    },
  },
  manyKeys: { about: 'inputs of 400,000 keys', workflows: ECHO, lanes: 4, strike: run(MANY_KEYS) },
  integerKeys: {
    about: 'inputs of 400,000 keys that are integers',
    workflows: ECHO,
    lanes: 4,
    strike: run(INTEGER_KEYS),
  },
  webhookKeys: {
    about: 'webhooks of 300,000 keys that are integers, without a key',
    workflows: HOOK,
    lanes: 4,
    strike: (place, signal) =>
      send({ ...place, key: '' }, 'POST', `/api/hooks/${place.namespace}/hook`, {
        body: WEBHOOK_KEYS,
        headers: { 'Content-Type': 'application/json' },
        signal,
      }),
  },
} as const satisfies Record<string, Attack>;
