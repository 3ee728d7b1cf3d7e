import { isRecord } from './values.ts';

/** The replacement of an image. */
interface Replacement {
  /** The last part of the name of the image, without its tag. */
  readonly image: RegExp;
  readonly use: string;
}

/** Images of the original's collection that a workflow does not need here, by their replacements. */
const REPLACEMENTS: readonly Replacement[] = [
  {
    image: /^(request|http-request)$/,
    use: "a function of the type 'http' (docs/http.md); its input and result differ",
  },
  { image: /^(greeting|hello-world|hello|echo|debug)$/, use: "a 'noop' state with a transform" },
  { image: /^(mustache|gotemplate|go-template)$/, use: 'a text with jq(...) in it (examples/letter-template)' },
  { image: /^(yaml2json|json2yaml)$/, use: 'a query in js(...) or jq(...)' },
];

/** An image that workflows call. */
export interface ImageUse {
  readonly image: string;
  /** The paths of the workflows. */
  readonly workflows: readonly string[];
  /** The replacement; absent, the container stays. */
  readonly use?: string;
}

/** The replacement of an image; undefined for an image that stays a container. */
export function replacementOf(image: string): string | undefined {
  const name = (image.split('/').at(-1) ?? '').replace(/[:@].*$/, '').toLowerCase();
  return REPLACEMENTS.find((one) => one.image.test(name))?.use;
}

/** The images in workflows, by the paths of these, the most used first. */
export function inventoryOf(workflows: ReadonlyMap<string, unknown>): readonly ImageUse[] {
  const used = new Map<string, string[]>();
  for (const [path, value] of workflows) {
    const functions: unknown = isRecord(value) ? value['functions'] : undefined;
    const images = (Array.isArray(functions) ? functions : []).flatMap((one: unknown) =>
      isRecord(one) && typeof one['image'] === 'string' ? [one['image']] : [],
    );
    for (const image of new Set(images)) used.set(image, [...(used.get(image) ?? []), path]);
  }
  return [...used]
    .sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1))
    .map(([image, paths]) => {
      const use = replacementOf(image);
      return { image, workflows: paths, ...(use !== undefined && { use }) };
    });
}
