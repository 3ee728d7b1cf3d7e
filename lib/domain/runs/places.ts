import type { Run } from './run.ts';
import type { Parent } from './waits.ts';

/** The parts of a run that are stored together as one JSON text, the attribute `place`. */
const FIELDS = [
  'historyEvents',
  'express',
  'entryWait',
  'executionBegan',
  'waitCount',
  'wait',
  'woken',
  'processedEventIds',
  'parent',
  'service',
  'root',
  'callPath',
  'loopIndex',
  'depth',
  'threads',
  'outbox',
  'settings',
  'rerunOf',
  'reuse',
  'cancelOn',
  'exceeded',
  'sentSince',
  'trace',
] as const satisfies readonly (keyof Run)[];

type Place = Pick<Run, (typeof FIELDS)[number]>;

/** Values that are left out, so that a small run costs one write unit. */
const USUAL = {
  historyEvents: 0,
  express: false,
  entryWait: 0,
  waitCount: 0,
  processedEventIds: [],
  depth: 0,
  threads: {},
  outbox: [],
  settings: { lookback: 0, broadcasts: [], logger: '' },
} satisfies Partial<Place>;

const USUAL_TEXTS = new Map(Object.entries(USUAL).map(([name, value]) => [name, JSON.stringify(value)]));

function isUsual(name: string, value: unknown): boolean {
  const usual = USUAL_TEXTS.get(name);
  return usual !== undefined && JSON.stringify(value) === usual;
}

/** The same for the caller of a run. */
const USUAL_PARENT: Partial<Record<string, unknown>> = { k: 0, mode: 'and', token: '' } satisfies Partial<Parent>;

const CALLER = 'instance:';

/** The caller as it is stored: without usual values, and without its id if `invoker` names it. */
function storedParent({ id, ...parent }: Parent, invoker: string): Record<string, unknown> {
  return {
    ...(invoker === `${CALLER}${id}` ? {} : { id }),
    ...Object.fromEntries(Object.entries(parent).filter(([name, value]) => USUAL_PARENT[name] !== value)),
  };
}

/** Stands for the id of the caller, where that is also the run at the top. */
const TOP = 1;

/** The attribute `place`: without usual values, and without values that follow from other attributes. */
export function placeText(run: Run): string {
  const { parent, root, executionBegan, created, invoker } = run;
  const place = {
    ...Object.fromEntries(FIELDS.map((name) => [name, run[name]])),
    ...(parent && { parent: storedParent(parent, invoker) }),
    ...(parent && root === parent.id ? { root: TOP } : {}),
    ...(executionBegan === created ? { executionBegan: undefined } : {}),
  };
  return JSON.stringify(Object.fromEntries(Object.entries(place).filter(([name, value]) => !isUsual(name, value))));
}

interface StoredPlace extends Partial<Omit<Place, 'parent' | 'root'>> {
  readonly parent?: Partial<Parent>;
  readonly root?: string | typeof TOP;
}

/** The inverse of `placeText` for a run with this head. */
export function placeFrom(text: string, { created, invoker }: Pick<Run, 'created' | 'invoker'>): Place {
  const { parent: stored, root, ...place } = JSON.parse(text) as StoredPlace;
  const parent = stored && ({ ...USUAL_PARENT, id: invoker.slice(CALLER.length), ...stored } as Parent);
  return {
    ...USUAL,
    executionBegan: created,
    ...place,
    ...(parent && { parent }),
    ...(root === undefined ? {} : { root: root === TOP ? (parent as Parent).id : root }),
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
