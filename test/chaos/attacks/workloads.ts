import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CROWDS } from './crowds.ts';
import { HOARDS } from './hoards.ts';
import { type Attack, type Place, pathOf, send, store } from './requests.ts';
import { TEXTS } from './texts.ts';

/** Each level of the data doubles the work of this schema. */
const DOUBLING = `{definitions: {a: {type: array, anyOf: [{items: {$ref: '#/definitions/a'}}, {items: {$ref: '#/definitions/a'}}]}},
    properties: {v: {$ref: '#/definitions/a'}}}`;
const DEEP = `${'['.repeat(60)}1${']'.repeat(60)}`;

const noop = (transform: string): string => `states:\n- id: a\n  type: noop\n  transform: '${transform}'\n`;
const validate = (schema: string): string => `states:\n- id: a\n  type: validate\n  schema: ${schema}\n`;

const ENDLESS_JQ = '[limit(1; repeat(empty))]';

/** 166,000 small objects: 500,000 JSON values, as many as one body may have. */
const SMALL_OBJECTS = `{"v":[${'{"b":1,"a":2},'.repeat(166_000)}{}]}`;
/** 1.6 million small objects in 32 MB: more than a body may have. */
const TOO_MANY_OBJECTS = `{"v":[${'{"b":1,"a":2222222},'.repeat(1_600_000)}{}]}`;
const DISTINCT_OBJECTS = `{"v":[${Array.from({ length: 30_000 }, (_, n) => `{"n":${n}}`).join(',')}]}`;

const wait =
  (workflow: string, body: string): Attack['strike'] =>
  (place, signal) =>
    send(place, 'POST', pathOf(place, workflow, 'wait'), { body, signal });

/** Opens a connection, sends the head of a request and then one byte of its body a second. */
function drip({ url, namespace }: Place, key: string, signal: AbortSignal): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const head = `PUT /api/namespaces/${namespace}/vars/slow HTTP/1.1\r\nHost: ${host}\r\nService-Api-Key: ${key}\r\nContent-Length: 33554432\r\n\r\n`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => socket.write(head));
  const timer = setInterval(() => socket.write('x'), 1000);
  const end = () => {
    clearInterval(timer);
    socket.destroy();
    resolve();
  };
  socket.on('error', end).on('close', end);
  signal.addEventListener('abort', end, { once: true });
  return promise;
}

const FORK = `functions:
- {id: again, workflow: fork, type: subflow}
states:
- id: a
  type: foreach
  array: 'jq([range(20)])'
  action: {function: again, input: 'jq({})'}
`;

const LOOP = `states:
- {id: a, type: noop, transition: b}
- {id: b, type: noop, transition: a}
`;

const LISTENER = `start: {type: event, event: {type: flood}}\nstates:\n- {id: a, type: noop}\n`;

const ENDLESS_LISTENER = `start: {type: event, event: {type: flood}}\nstates:\n- {id: a, type: noop, transform: 'js(while (true) {})'}\n`;

const LATE = `states:
- {id: a, type: delay, duration: PT1S, transition: b}
- {id: b, type: noop, transform: 'js(while (true) {})'}
`;

/** Sends an event that starts every listener. */
const flood: Attack['strike'] = (place, signal) =>
  send(place, 'POST', `/api/namespaces/${place.namespace}/broadcast`, {
    body: JSON.stringify({ specversion: '1.0', id: crypto.randomUUID(), source: 'attack', type: 'flood', data: {} }),
    headers: { 'Content-Type': 'application/cloudevents+json' },
    signal,
  });

/** Every attack, by its name. */
export const ATTACKS = {
  schemas: {
    about: 'JSON Schemas whose work doubles with each level',
    workflows: { deep: validate(DOUBLING) },
    lanes: 6,
    strike: wait('deep', `{"v":${DEEP}}`),
  },
  uniqueItems: {
    about: 'uniqueItems over 30,000 objects',
    workflows: { unique: validate('{properties: {v: {uniqueItems: true}}}') },
    lanes: 4,
    strike: wait('unique', DISTINCT_OBJECTS),
  },
  playground: {
    about: 'endless queries of /api/jq',
    lanes: 30,
    strike: async (place, signal) => {
      const body = JSON.stringify({ query: ENDLESS_JQ, data: 'e30=' });
      // A request that a limit rejects comes back at once, and is sent again.
      if ((await send(place, 'POST', '/api/jq', { body, signal })) === 429) await sleep(10, undefined, { signal });
    },
  },
  scripts: {
    about: 'endless jq and JavaScript in workflows',
    workflows: { jq: noop(`jq({a: ${ENDLESS_JQ}})`), js: noop('js(while (true) {})') },
    lanes: 12,
    strike: (place, signal, lane) => wait(lane % 2 === 0 ? 'jq' : 'js', '{}')(place, signal, lane),
  },
  memory: {
    about: 'scripts that fill their memory',
    workflows: {
      jq: noop('jq({a: [range(1e12)]})'),
      js: noop('js(let a = []; for (;;) a.push(new Array(100000).fill(a)))'),
    },
    lanes: 6,
    strike: (place, signal, lane) => wait(lane % 2 === 0 ? 'jq' : 'js', '{}')(place, signal, lane),
  },
  objects: {
    about: 'bodies of 500,000 JSON values',
    workflows: { echo: 'states:\n- {id: a, type: noop}\n' },
    lanes: 2,
    strike: wait('echo', SMALL_OBJECTS),
  },
  heldObjects: {
    about: 'bodies of 500,000 JSON values in runs with endless scripts, as many as may be open',
    workflows: { hold: noop('js(while (true) {})') },
    lanes: 150,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'hold', 'execute'), { body: SMALL_OBJECTS, signal }),
  },
  tooManyObjects: {
    about: 'bodies of 32 MB with 1.6 million objects',
    workflows: { echo: 'states:\n- {id: a, type: noop}\n' },
    lanes: 4,
    strike: wait('echo', TOO_MANY_OBJECTS),
  },
  forks: {
    about: 'runs that start 20 of themselves each',
    workflows: { fork: FORK },
    lanes: 4,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'fork', 'execute'), { signal }),
  },
  loops: {
    about: 'runs of a million states',
    workflows: { loop: LOOP },
    lanes: 4,
    strike: wait('loop', '{}'),
  },
  steps: {
    about: 'endless scripts in runs that machines carry',
    workflows: { late: LATE },
    lanes: 20,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'late', 'execute'), { signal }),
  },
  listeners: {
    about: 'events that start ten runs with endless scripts each',
    workflows: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`listener${n}`, ENDLESS_LISTENER])),
    lanes: 4,
    strike: flood,
  },
  slowBodies: {
    about: '600 connections with bodies of one byte a second, half of them without a valid key',
    lanes: 600,
    strike: (place, signal, lane) => drip(place, lane % 2 === 0 ? place.key : 'a key that is not valid', signal),
  },
  strangers: {
    about: 'bodies of 32 MB without a valid key',
    lanes: 8,
    strike: (place, signal) =>
      send({ ...place, key: 'a key that is not valid' }, 'PUT', `/api/namespaces/${place.namespace}/vars/x`, {
        body: TOO_MANY_OBJECTS,
        signal,
      }),
  },
  starts: {
    about: 'as many starts of runs as possible',
    workflows: { echo: 'states:\n- {id: a, type: noop}\n' },
    lanes: 50,
    strike: (place, signal) => send(place, 'POST', pathOf(place, 'echo', 'execute'), { signal }),
  },
  events: {
    about: 'as many events as possible, each of which starts ten runs',
    workflows: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`listener${n}`, LISTENER])),
    lanes: 20,
    strike: flood,
  },
  ...CROWDS,
  ...HOARDS,
  ...TEXTS,
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;

/** Stores the workflows of an attack, and what else it needs. */
export async function prepare(place: Place, { workflows = {}, ready }: Attack): Promise<void> {
  await store(place, workflows);
  await ready?.(place);
}

/** Repeats an attack in all its lanes until the signal aborts. Returns how many requests ended. */
export async function strikeUntil(place: Place, { lanes, strike }: Attack, signal: AbortSignal): Promise<number> {
  let ended = 0;
  const lane = async (number: number): Promise<void> => {
    while (!signal.aborted) {
      // The service may reject a request, as expected; the attacker continues.
      await strike(place, signal, number).catch(() => sleep(10));
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return ended;
}
