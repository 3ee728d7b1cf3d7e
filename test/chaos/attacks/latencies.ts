import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, pathOf, send, store } from './requests.ts';

/** How long the requests of a tenant took, milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The request that took longest: the name of the workflow, or `tree`. */
  readonly slowest: string;
  /** The requests that failed, each as a text. */
  readonly failed: readonly string[];
}

const WORKFLOWS = {
  plain: 'states:\n- {id: a, type: noop}\n',
  jq: "states:\n- id: a\n  type: noop\n  transform: 'jq(def f: . + 1; {n: (1 | f)})'\n",
  js: "states:\n- id: a\n  type: noop\n  transform: 'js(return {n: 1 + 1})'\n",
  // An event through the bus, a wait of a machine, and the resumption of the run.
  event: `states:
- {id: a, type: generateEvent, event: {type: own, source: tenant}, transition: b}
- {id: b, type: consumeEvent, event: {type: own}}
`,
  schema: 'states:\n- id: a\n  type: validate\n  schema: {properties: {n: {type: integer}}}\n',
};

interface Request {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** The usual requests of a tenant: a read, and runs with scripts of both languages, an event, a schema, and a wait. */
const requestsOf = (place: Place): readonly Request[] => [
  { name: 'tree', method: 'GET', path: `/api/namespaces/${place.namespace}/tree` },
  ...Object.keys(WORKFLOWS).map((name) => ({ name, method: 'POST', path: pathOf(place, name, 'wait') })),
];

const PAUSE_MS = 10;

/** Stores the workflows that `measure` runs. */
export const prepareTenant = (place: Place): Promise<void> => store(place, WORKFLOWS);

interface Timed {
  readonly name: string;
  readonly ms: number;
}

function latenciesOf(timed: readonly Timed[], failed: readonly string[]): Latencies {
  const sorted = timed.toSorted((a, b) => a.ms - b.ms);
  const at = (part: number): number => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)]?.ms ?? 0;
  return {
    ...{ count: timed.length, p50: at(0.5), p99: at(0.99), max: at(1) },
    ...{ slowest: sorted.at(-1)?.name ?? 'none', failed },
  };
}

/** Sends the usual requests of a tenant, one after the other, for `ms` milliseconds. */
export async function measure(place: Place, ms: number): Promise<Latencies> {
  const [timed, failed]: [Timed[], string[]] = [[], []];
  const requests = requestsOf(place);
  const end = performance.now() + ms;
  for (let turn = 0; performance.now() < end; turn += 1) {
    const { name, method, path } = requests[turn % requests.length] as Request;
    const began = performance.now();
    const status = await send(place, method, path, method === 'POST' ? { body: '{"n":1}' } : {});
    timed.push({ name, ms: performance.now() - began });
    if (status !== 200) failed.push(`${method} ${path}: ${status}`);
    await sleep(PAUSE_MS);
  }
  return latenciesOf(timed, failed);
}
