type Path = readonly (string | number)[];

const FUNCTIONS = [{ id: 'f', type: 'subflow', workflow: 'x' }];
const NOOP = [{ id: 'a', type: 'noop' }];
const EVENT = { type: 't', context: { a: 'b' } };
const EVENTS = { events: [EVENT] };
const VARIABLE = { key: 'k', scope: 'instance' };
const EXIT = { transform: { a: 1 }, transition: 'b' };

const CALL = {
  function: 'f',
  input: { a: 1 },
  secrets: ['S'],
  retries: { max_attempts: 2, delay: 'PT1S', multiplier: 2, codes: ['c'] },
  files: [{ key: 'k', as: 'a', scope: 'namespace', type: 'plain' }],
};

/** A workflow with a state of a type, which has the fields of every state. */
const withState = (type: string, fields: object): object => {
  const state = { id: 'a', type, log: 'l', metadata: 'm', catch: [{ error: 'e', transition: 'b' }], ...fields };
  return { functions: FUNCTIONS, states: [state, { id: 'b', type: 'noop' }] };
};

const withFunction = (fields: object): object => ({ functions: [{ id: 'f', ...fields }], states: NOOP });
const withStart = (type: string, fields: object): object => ({ start: { type, state: 'a', ...fields }, states: NOOP });
const CONTAINER = { image: 'i', size: 'small', cmd: 'c' };

/** Valid workflows by their names; each has all fields of one type. */
export const WORKFLOWS: Readonly<Record<string, object>> = {
  workflow: {
    url: 'u',
    description: 'd',
    timeouts: { interrupt: 'PT1M', kill: 'PT2M' },
    functions: FUNCTIONS,
    start: { type: 'default', state: 'a' },
    states: NOOP,
  },
  'knative-workflow': withFunction({ type: 'knative-workflow', ...CONTAINER }),
  reusable: withFunction({ type: 'reusable', ...CONTAINER }),
  'knative-namespace': withFunction({ type: 'knative-namespace', service: 's' }),
  subflow: withFunction({ type: 'subflow', workflow: 'w' }),
  scheduled: withStart('scheduled', { cron: '* * * * *' }),
  'start event': withStart('event', { event: EVENT }),
  'start eventsXor': withStart('eventsXor', EVENTS),
  'start eventsAnd': withStart('eventsAnd', { ...EVENTS, lifespan: 'PT1M' }),
  noop: withState('noop', EXIT),
  delay: withState('delay', { duration: 'PT1S', ...EXIT }),
  action: withState('action', { action: CALL, async: true, timeout: 'PT1M', ...EXIT }),
  foreach: withState('foreach', { array: 'jq(.a)', action: CALL, timeout: 'PT1M', ...EXIT }),
  parallel: withState('parallel', { actions: [CALL], mode: 'and', timeout: 'PT1M', ...EXIT }),
  switch: withState('switch', {
    conditions: [{ condition: 'jq(.a)', ...EXIT }],
    defaultTransform: { a: 1 },
    defaultTransition: 'b',
  }),
  error: withState('error', { error: 'e', message: 'm', args: ['a'], ...EXIT }),
  validate: withState('validate', { subject: 'jq(.)', schema: { type: 'object' }, ...EXIT }),
  getter: withState('getter', { variables: [{ ...VARIABLE, as: 'x' }], ...EXIT }),
  setter: withState('setter', { variables: [{ ...VARIABLE, value: 'x', mimeType: 'text/plain' }], ...EXIT }),
  consumeEvent: withState('consumeEvent', { event: EVENT, timeout: 'PT1M', ...EXIT }),
  eventsAnd: withState('eventsAnd', { ...EVENTS, timeout: 'PT1M', ...EXIT }),
  eventsXor: withState('eventsXor', { events: [{ event: EVENT, ...EXIT }], timeout: 'PT1M' }),
  generateEvent: withState('generateEvent', {
    event: { ...EVENT, source: 's', data: { a: 1 }, datacontenttype: 'text/plain' },
    delay: 'immediate',
    ...EXIT,
  }),
};

/** The values that each field is given, as JSON; undefined: it is absent. */
export const VALUES: readonly (string | undefined)[] = [
  undefined,
  ...['null', '""', '[]', '{}', '0', '1', '-1', '1.5', '1e+30', 'true', 'false', '"x"', '"immediate"', '"PT5S"'],
  ...['"jq(.a)"', '[null]', '[""]', '["x"]', '[1]', '[{}]', '[[]]', '{"a":1}', '{"a":null}'],
];

/** The paths of all fields and elements. */
export function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** The text of a workflow with a value at a path. */
export function textWith(workflow: object, path: Path, value: string | undefined): string {
  const changed = structuredClone(workflow);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((at: object, key) => Reflect.get(at, key) as object, changed);
  if (value !== undefined) Reflect.set(holder, last, JSON.parse(value));
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return JSON.stringify(changed);
}
