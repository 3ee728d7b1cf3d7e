import type { Run } from './run.ts';
import type { Parent, RetryPolicy } from './waits.ts';

/**
 * The parts of a run that are stored together as one JSON text, the attribute `place`: the name in the code and the name
 * in the text. The names in the text are those of the first version and never change; their order is the text's.
 */
const STORED_NAMES = {
  historyEvents: 'events',
  express: 'brief',
  entryWait: 'entry',
  executionBegan: 'began',
  waitCount: 'pauses',
  wait: 'pause',
  processedEventIds: 'heard',
  parent: 'parent',
  service: 'service',
  root: 'root',
  callPath: 'callPath',
  loopIndex: 'loopIndex',
  depth: 'depth',
  threads: 'threads',
  outbox: 'outbox',
  settings: 'told',
  rerunOf: 'rerunOf',
  reuse: 'reuse',
  cancelOn: 'cancelOn',
  exceeded: 'exceeded',
  sentSince: 'sentSince',
  trace: 'trace',
} as const satisfies Partial<Record<keyof Run, string>>;

/** The same for the retry policy within `parent`. */
const STORED_RETRY_NAMES = {
  codes: 'codes',
  maxAttempts: 'most',
  delay: 'delay',
  backoffMultiplier: 'multiplier',
} as const satisfies Record<keyof RetryPolicy, string>;

type Place = Pick<Run, keyof typeof STORED_NAMES>;
type Names = readonly (readonly [from: string, to: string])[];

const STORE: Names = Object.entries(STORED_NAMES);
const READ: Names = STORE.map(([name, stored]) => [stored, name]);
const STORE_RETRIES: Names = Object.entries(STORED_RETRY_NAMES);
const READ_RETRIES: Names = STORE_RETRIES.map(([name, stored]) => [stored, name]);

/** The properties under their other names, in the order of the names. */
function rename(value: object, names: Names): Record<string, unknown> {
  const values = value as Readonly<Record<string, unknown>>;
  const renamed: Record<string, unknown> = {};
  for (const [from, to] of names) if (values[from] !== undefined) renamed[to] = values[from];
  return renamed;
}

/** The default values of a caller. They are left out. */
const USUAL_PARENT = { k: 0, mode: 'and', token: '' } as const satisfies Partial<Parent>;

const CALLER = 'instance:';

/** The caller as it is stored: without default values, and without its id if `invoker` names it. */
function storedParent({ id, retries, ...parent }: Parent, invoker: string): Record<string, unknown> {
  const usual: Partial<Record<string, unknown>> = USUAL_PARENT;
  return {
    ...(invoker === `${CALLER}${id}` ? {} : { id }),
    ...Object.fromEntries(Object.entries(parent).filter(([name, value]) => usual[name] !== value)),
    ...(retries === undefined ? {} : { retries: rename(retries, STORE_RETRIES) }),
  };
}

function parentFrom(stored: unknown, invoker: string): Parent {
  const { retries, ...parent } = stored as Partial<Parent>;
  const renamed = retries === undefined ? {} : { retries: rename(retries, READ_RETRIES) as unknown as RetryPolicy };
  return { ...USUAL_PARENT, id: invoker.slice(CALLER.length), ...parent, ...renamed } as Parent;
}

/** The default values. They are left out of the item, so that a small run costs one write unit. */
const USUAL: Omit<
  Place,
  | 'executionBegan'
  | 'wait'
  | 'parent'
  | 'service'
  | 'root'
  | 'callPath'
  | 'loopIndex'
  | 'rerunOf'
  | 'reuse'
  | 'cancelOn'
  | 'exceeded'
  | 'sentSince'
  | 'trace'
> = {
  historyEvents: 0,
  express: false,
  entryWait: 0,
  waitCount: 0,
  processedEventIds: [],
  depth: 0,
  threads: {},
  outbox: {},
  settings: { lookback: 0, broadcasts: [], logger: '' },
};
const USUAL_STORED = new Map(
  Object.entries(rename(USUAL, STORE)).map(([name, value]) => [name, { value, text: JSON.stringify(value) }]),
);

function isUsual(name: string, value: unknown): boolean {
  const usual = USUAL_STORED.get(name);
  return usual !== undefined && (value === usual.value || JSON.stringify(value) === usual.text);
}

/** Stands for the id of the caller, where that is also the run at the top. */
const TOP = 1;

/** The attribute `place`: without default values, and without values that follow from other attributes. */
export function placeText(run: Run): string {
  const { parent, root, executionBegan, created, invoker } = run;
  const place = rename(run, STORE);
  if (parent !== undefined) place[STORED_NAMES.parent] = storedParent(parent, invoker);
  if (parent !== undefined && root === parent.id) place[STORED_NAMES.root] = TOP;
  if (executionBegan === created) delete place[STORED_NAMES.executionBegan];
  for (const [name, value] of Object.entries(place)) if (isUsual(name, value)) delete place[name];
  return JSON.stringify(place);
}

/** The inverse of `placeText` for a run with this head. Earlier versions left less out. */
export function placeFrom(text: string, { created, invoker }: Pick<Run, 'created' | 'invoker'>): Place {
  const place = rename(JSON.parse(text) as object, READ);
  const parent = place['parent'] === undefined ? undefined : parentFrom(place['parent'], invoker);
  return {
    ...USUAL,
    executionBegan: created,
    ...(place as Partial<Place>),
    ...(parent && { parent }),
    ...(parent && place['root'] === TOP ? { root: parent.id } : {}),
  };
}

/** The least depth from which a run stores its path: the ids of nearer callers are in the run already. */
export const STORED_DEPTH = 3;

/** The ids of the callers of a run from the top, each after a slash; `/` for a run without a caller. */
export function callPathOf({ callPath, root, invoker }: Pick<Run, 'callPath' | 'root' | 'invoker'>): string {
  if (callPath !== undefined) return callPath;
  if (root === undefined || !invoker.startsWith(CALLER)) return '/';
  const caller = invoker.slice(CALLER.length);
  return caller === root ? `/${root}` : `/${root}/${caller}`;
}

/** The path that a child stores: undefined for one whose path follows from its other fields. */
export function storedCallPath(
  caller: Pick<Run, 'id' | 'depth' | 'callPath' | 'root' | 'invoker'>,
): string | undefined {
  if (caller.depth + 1 < STORED_DEPTH) return undefined;
  return `${callPathOf(caller)}/${caller.id}`;
}
