import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, pathOf, send, store } from './requests.ts';

/** How long the requests of a tenant took, milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The requests that failed, each as a text. */
  readonly failed: readonly string[];
}

const WORKFLOWS = {
  plain: 'states:\n- {id: a, type: noop}\n',
  jq: "states:\n- id: a\n  type: noop\n  transform: 'jq(def f: . + 1; {n: (1 | f)})'\n",
  js: "states:\n- id: a\n  type: noop\n  transform: 'js(return {n: 1 + 1})'\n",
  schema: 'states:\n- id: a\n  type: validate\n  schema: {properties: {n: {type: integer}}}\n',
};

/** What a tenant does all day: it reads, and runs workflows with scripts of both languages and a schema. */
const requestsOf = (place: Place): readonly (readonly [string, string])[] => [
  ['GET', `/api/namespaces/${place.namespace}/tree`],
  ...Object.keys(WORKFLOWS).map((name) => ['POST', pathOf(place, name, 'wait')] as const),
];

const PAUSE_MS = 10;

/** Stores the workflows that `measure` runs. */
export const prepareTenant = (place: Place): Promise<void> => store(place, WORKFLOWS);

function latenciesOf(times: readonly number[], failed: readonly string[]): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0;
  return { count: times.length, p50: at(0.5), p99: at(0.99), max: at(1), failed };
}

/** Sends the usual requests of a tenant, one after the other, for so many milliseconds. */
export async function measure(place: Place, ms: number): Promise<Latencies> {
  const [times, failed]: [number[], string[]] = [[], []];
  const requests = requestsOf(place);
  const end = performance.now() + ms;
  for (let turn = 0; performance.now() < end; turn += 1) {
    const [method = '', path = ''] = requests[turn % requests.length] ?? [];
    const began = performance.now();
    const status = await send(place, method, path, method === 'POST' ? { body: '{"n":1}' } : {});
    times.push(performance.now() - began);
    if (status !== 200) failed.push(`${method} ${path}: ${status}`);
    await sleep(PAUSE_MS);
  }
  return latenciesOf(times, failed);
}
