import { nativeImageOfCommand, readsFiles } from '../../compiler/plan/native-images.ts';
import { replacementOf } from './replacements.ts';
import { isRecord, valuesIn } from './values.ts';

/** An image that workflows call. */
export interface ImageUse {
  readonly image: string;
  /** The paths of the workflows. */
  readonly workflows: readonly string[];
  /** How the image is served without a container, or its replacement; absent, the container stays. */
  readonly use?: string;
}

const SERVED = 'runs without a container (docs/native-images.md)';
const SERVED_IN_PART =
  'runs without a container, except where it has another command, or where an action passes files to it';

/** Whether a function of a workflow runs without a container, as `weft validate` says. */
export function isServed(workflow: unknown, called: Readonly<Record<string, unknown>>): boolean {
  const { id, image, cmd } = called;
  if (typeof image !== 'string') return false;
  const native = nativeImageOfCommand(image, typeof cmd === 'string' ? cmd : '');
  if (native === undefined || readsFiles(native)) return native !== undefined;
  if (Array.isArray(called['files'])) return false;
  const actions = [...valuesIn(workflow)].flatMap(([, value]) => (isRecord(value) ? [value] : []));
  return !actions.some((one) => one['function'] === id && Array.isArray(one['files']) && one['files'].length > 0);
}

/** The images in workflows, by the paths of these, the most used first. */
export function inventoryOf(workflows: ReadonlyMap<string, unknown>): readonly ImageUse[] {
  const used = new Map<string, { readonly paths: Set<string>; readonly served: Set<boolean> }>();
  for (const [path, value] of workflows) {
    const functions: unknown = isRecord(value) ? value['functions'] : undefined;
    for (const one of Array.isArray(functions) ? functions : []) {
      if (!isRecord(one) || typeof one['image'] !== 'string') continue;
      const { paths, served } = used.get(one['image']) ?? { paths: new Set(), served: new Set() };
      used.set(one['image'], { paths: paths.add(path), served: served.add(isServed(value, one)) });
    }
  }
  return [...used]
    .sort(([a, first], [b, second]) => second.paths.size - first.paths.size || (a < b ? -1 : 1))
    .map(([image, { paths, served }]) => {
      const use = served.has(true) ? (served.has(false) ? SERVED_IN_PART : SERVED) : replacementOf(image);
      return { image, workflows: [...paths], ...(use !== undefined && { use }) };
    });
}
