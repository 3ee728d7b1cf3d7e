import { parseJson } from '../../language/json-numbers.ts';
import type { Run, RunFields } from './run.ts';
import type { Parent } from './waits.ts';

/** The parts of a run that are stored together as one JSON text, the attribute `place`, in this order. */
const STORED = [
  ...['historyEvents', 'express', 'entryWait', 'executionBegan', 'waitCount', 'wait', 'processedEventIds', 'parent'],
  ...['callee', 'site', 'root', 'callPath', 'loopIndex', 'depth', 'threads', 'outbox', 'settings', 'rerunOf', 'reuse'],
  ...['cancelOn', 'exceeded', 'sentSince', 'trace', 'handling', 'inputProblem', 'concurrency', 'hold', 'began'],
] as const;

/** The default values. They are left out of the item, so that a small run costs one write unit. */
const USUAL = {
  historyEvents: 0,
  express: false,
  entryWait: 0,
  waitCount: 0,
  processedEventIds: [],
  depth: 0,
  threads: {},
  outbox: {},
  settings: { lookback: 0, broadcasts: [], logger: '' },
} as const satisfies Partial<RunFields>;

type Place = Required<Pick<RunFields, keyof typeof USUAL | 'executionBegan'>> & Partial<RunFields>;

const USUAL_TEXTS = new Map(
  Object.entries(USUAL).map(([name, value]) => [name, { value, text: JSON.stringify(value) }]),
);

function isUsual(name: string, value: unknown): boolean {
  const usual = USUAL_TEXTS.get(name);
  if (usual === undefined) return false;
  return value === usual.value || (typeof value === 'object' && JSON.stringify(value) === usual.text);
}

/** The default values of a caller. They are left out. */
const USUAL_PARENT = { k: 0, mode: 'and', token: '' } as const satisfies Partial<Parent>;

const CALLER = 'instance:';

/** The caller as it is stored: without default values, and without its id if `invoker` names it. */
function storedParent({ id, ...parent }: Parent, invoker: string): Record<string, unknown> {
  const usual: Partial<Record<string, unknown>> = USUAL_PARENT;
  return {
    ...(invoker === `${CALLER}${id}` ? {} : { id }),
    ...Object.fromEntries(Object.entries(parent).filter(([name, value]) => usual[name] !== value)),
  };
}

/** Stands for the id of the caller, where that is also the run at the top. */
const TOP = 1;

/** The attribute `place`: without default values, and without values that follow from other attributes. */
export function placeText(run: Run): string {
  const { parent, root, executionBegan, created, invoker } = run;
  const values = run as unknown as Readonly<Record<string, unknown>>;
  const place: Record<string, unknown> = {};
  for (const name of STORED) {
    const value = values[name];
    if (value !== undefined && !isUsual(name, value)) place[name] = value;
  }
  if (parent !== undefined) place['parent'] = storedParent(parent, invoker);
  if (parent !== undefined && root === parent.id) place['root'] = TOP;
  if (executionBegan === created) delete place['executionBegan'];
  return JSON.stringify(place);
}

interface StoredPlace extends Omit<Partial<Place>, 'parent'> {
  readonly parent?: Partial<Parent>;
  readonly callee?: unknown;
}

/** The inverse of `placeText` for a run with this head. A call has a callee. */
export function placeFrom(text: string, { created, invoker }: Pick<Run, 'created' | 'invoker'>) {
  const { parent: stored, ...place } = parseJson(text) as StoredPlace;
  const parent = stored && ({ ...USUAL_PARENT, ...{ id: invoker.slice(CALLER.length), ...stored } } as Parent);
  const kind = place.callee === undefined ? 'workflow' : 'call';
  return {
    ...USUAL,
    executionBegan: created,
    ...place,
    ...(parent && { parent }),
    ...(parent && (place.root as unknown) === TOP ? { root: parent.id } : {}),
    kind,
  } as Place & Pick<Run, 'kind'>;
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
