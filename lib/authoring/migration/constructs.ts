import { ownMember } from '../../language/own-members.ts';
import { isServed } from './images.ts';
import { isRecord, valuesIn } from './values.ts';

/** Whether a construct works as in the original. */
export type Verdict = 'same' | 'differs' | 'unsupported';

/** A construct of the language, or of the files beside workflows. */
export interface Construct {
  readonly verdict: Verdict;
  readonly label: string;
  /** The difference, or the replacement. */
  readonly note?: string;
}

const same = (label: string): Construct => ({ verdict: 'same', label });
const differs = (label: string, note: string): Construct => ({ verdict: 'differs', label, note });
const unsupported = (label: string, note: string): Construct => ({ verdict: 'unsupported', label, note });

const CONTAINER = 'runs in Docker or Podman locally, and as a Lambda function on AWS (docs/containers.md)';

/** The constructs by their keys, `KIND:NAME`. */
const CONSTRUCTS: Readonly<Record<string, Construct>> = {
  'state:action': same('state action'),
  'state:consumeEvent': same('state consumeEvent'),
  'state:delay': same('state delay'),
  'state:error': same('state error'),
  'state:eventsAnd': same('state eventsAnd'),
  'state:eventAnd': same('state eventsAnd'),
  'state:eventsXor': same('state eventsXor'),
  'state:eventXor': same('state eventsXor'),
  'state:foreach': same('state foreach'),
  'state:generateEvent': same('state generateEvent'),
  'state:getter': same('state getter'),
  'state:noop': same('state noop'),
  'state:parallel': same('state parallel'),
  'state:setter': same('state setter'),
  'state:switch': same('state switch'),
  'state:validate': same('state validate'),
  'state:callback': unsupported('state callback', 'v0.6 could not run it either; use an action and a consumeEvent'),
  'start:default': same('start by a request'),
  'start:scheduled': same('start by cron'),
  'start:event': same('start by an event'),
  'start:eventsXor': same('start by one of several events'),
  'start:eventsAnd': differs(
    'start by several events',
    'they are counted anew after a start, and lifespan applies, as in v0.8',
  ),
  'function:subflow': same('subflow'),
  'function:served': same('image that runs without a container'),
  'function:reusable': differs('container', CONTAINER),
  'function:isolated': differs('container', CONTAINER),
  'function:knative-workflow': differs('container', CONTAINER),
  'function:knative-namespace': differs(
    'service of the namespace',
    'create it before the first run (docs/containers.md)',
  ),
  'function:knative-global': differs('global service', 'create it before the first run (docs/containers.md)'),
  'field:patches': unsupported('patches', 'they change a resource of Kubernetes; removed'),
  'field:permissions': same('permissions of files'),
  'field:retries': same('retries'),
  'field:catch': same('catch'),
  'field:timeouts': same('timeouts'),
  'field:secrets': same('secrets'),
  'scope:namespace': same('variables of the namespace'),
  'scope:workflow': same('variables of the workflow'),
  'scope:instance': same('variables of the instance'),
  'scope:thread': same('variables of the thread'),
  'scope:file': same('files of the tree'),
  'script:jq': differs('jq', 'jq 1.8 instead of gojq; the texts of errors differ'),
  'script:js': differs('JavaScript', 'QuickJS instead of goja; the texts of errors differ'),
  'file:endpoint': unsupported('gateway route', 'call the workflow by its own route (docs/api.md)'),
  'file:consumer': unsupported('gateway consumer', 'create a key with a permission: weft keys'),
  'file:service': unsupported('service file', 'create the service by the API (docs/containers.md)'),
  'file:page': unsupported('page', 'pages came with v0.9; serve them elsewhere'),
};

/** A construct with the number of times that it is used. */
export interface CountedConstruct extends Construct {
  readonly key: string;
  readonly count: number;
}

/** The constructs in workflows, as values of their YAML, and in other files of the original: unsupported ones first. */
export function countConstructs(values: readonly unknown[]): readonly CountedConstruct[] {
  const counts = new Map<string, number>();
  for (const key of values.flatMap((value) => [...keysOf(value)])) counts.set(key, (counts.get(key) ?? 0) + 1);
  const rows = new Map<string, CountedConstruct>();
  for (const [key, count] of counts) {
    const construct = ownMember(CONSTRUCTS, key) ?? unsupported(key.replace(':', ' '), 'the language has no such type');
    const known = rows.get(construct.label)?.count ?? 0;
    rows.set(construct.label, { key, ...construct, count: known + count });
  }
  const order: readonly Verdict[] = ['unsupported', 'differs', 'same'];
  return [...rows.values()].sort(
    (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || b.count - a.count || (a.label < b.label ? -1 : 1),
  );
}

const OTHER_KIND = /^(endpoint|consumer|service|page)\b/;

const COUNTED_FIELDS: readonly string[] = ['patches', 'permissions', 'retries', 'catch', 'timeouts', 'secrets'];

function* keysOf(value: unknown): Generator<string> {
  if (!isRecord(value)) return;
  const api = [value['direktiv_api'], value['x-direktiv-api']].find((one) => typeof one === 'string');
  const other = OTHER_KIND.exec(api ?? '')?.[1];
  if (other !== undefined) {
    yield `file:${other}`;
    return;
  }
  yield `start:${typeOf(value['start']) ?? 'default'}`;
  for (const state of listOf(value['states'])) yield `state:${typeOf(state)}`;
  for (const one of listOf(value['functions'])) {
    const isServedHere = isRecord(one) && isServed(value, one);
    yield isServedHere ? 'function:served' : `function:${typeOf(one) ?? typeByField(one)}`;
  }
  for (const [name, part] of valuesIn(value)) {
    if (COUNTED_FIELDS.includes(name)) yield `field:${name}`;
    if (name === 'scope' && typeof part === 'string' && !part.includes('(')) yield `scope:${part}`;
    if (typeof part === 'string' && /\bjq\(/.test(part)) yield 'script:jq';
    if (typeof part === 'string' && /\bjs\(/.test(part)) yield 'script:js';
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const typeOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value['type'] === 'string' ? value['type'] : undefined;

function typeByField(value: unknown): string {
  if (!isRecord(value)) return 'unknown';
  if ('workflow' in value) return 'subflow';
  return 'service' in value ? 'knative-namespace' : 'knative-workflow';
}
