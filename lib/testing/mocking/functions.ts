import type { FunctionPlan, Plan } from '../../compiler/plan/plan.ts';
import { setMember } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import { type Json, parseYaml } from '../../language/yaml/parser.ts';
import { functionKey } from '../format/function-keys.ts';
import { overwriteFields } from './overwriting.ts';

/** The beginning of the images that stand for the functions of tests. */
const IMAGE = 'weft-test:';

/** The key of the function for which an image stands; undefined for any other image. */
export const keyOfImage = (image: string): string | undefined =>
  image.startsWith(IMAGE) ? image.slice(IMAGE.length) : undefined;

/** The functions that a test cannot run: all but the subflows. */
export const isOutside = ({ type }: Pick<FunctionPlan, 'type'>): boolean => type !== 'subflow';

type Fields = Readonly<Record<string, Json>>;

const entryOf = (fields: Fields, name: string): string | undefined =>
  Object.keys(fields).find((key) => key.toLowerCase() === name);

/** How a workflow is stored for a test. */
export interface Staging {
  readonly path: string;
  readonly source: string;
  readonly plan: Plan;
  /** Whether a subflow is mocked, by the key of its function. */
  readonly isMocked: (key: string) => boolean;
  /** The test starts the workflow, whatever its start is. */
  readonly startsByHand: boolean;
}

/**
 * The text that is stored in place of a workflow: functions that a test cannot run, and subflows with a mock, are
 * containers whose images name them (`keyOfImage`). Nothing else of its meaning changes, and all other parts keep their
 * lines and columns. The workflow must compile.
 */
export function stagedSource({ path, source, plan, isMocked, startsByHand }: Staging): string {
  const replaced = Object.entries(plan.functions)
    .map(([id, called]) => ({ id, key: functionKey(path, id), called }))
    .filter(({ key, called }) => isOutside(called) || isMocked(key))
    .map(({ id, key }) => [id, { type: 'knative-workflow', image: `${IMAGE}${key}` }] as const);
  const dropsStart = startsByHand && plan.start.type !== 'default';
  if (replaced.length === 0 && !dropsStart) return source;
  const parsed = parseYaml(source);
  if ('problems' in parsed || parsed.root.kind !== 'map') throw new Error(`the workflow '${path}' does not compile`);
  const { value: root } = parsed.root;
  const functions = entryOf(root, 'functions');
  const start = entryOf(root, 'start');
  const staged: Record<string, Json> = {};
  if (functions !== undefined && replaced.length > 0)
    setMember(staged, functions, stagedFunctions(ownMember(root, functions), new Map(replaced)));
  if (dropsStart && start !== undefined) setMember(staged, start, { type: 'default', state: plan.entry });
  return overwriteFields(source, parsed.root, staged);
}

/** The fields of a function that a stand-in has too. */
const LIMITS = ['concurrency', 'rate', 'scope'];

const limitsIn = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => LIMITS.includes(name.toLowerCase())));

function stagedFunctions(list: Json | undefined, replaced: ReadonlyMap<string, Fields>): Json {
  if (!Array.isArray(list)) return list ?? [];
  return (list as readonly Json[]).map((one) => {
    const fields = one as Fields;
    const id = ownMember(fields, entryOf(fields, 'id') ?? '');
    const standIn = typeof id === 'string' ? replaced.get(id) : undefined;
    return standIn === undefined || id === undefined ? one : { id, ...standIn, ...limitsIn(fields) };
  });
}
