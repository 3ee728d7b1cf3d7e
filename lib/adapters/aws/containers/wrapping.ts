import { type Document, digestOf, MANIFESTS, type Part } from '../../../containers/oci/registry.ts';
import { Unfit } from '../../../containers/oci/unsupported-image.ts';
import { laidBy } from '../../../containers/sidecar/image-environment.ts';
import type { ContainerRevision } from '../../../ports/containers.ts';

/** The processors that Lambda has, as images name them; the cheaper one first. */
export const ARCHITECTURES = ['arm64', 'amd64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** One layer, zipped. */
export interface Layer {
  readonly digest: string;
  /** Of what it unpacks to. */
  readonly unpacked: string;
  readonly size: number;
  /** What is in it, for the history of the image. */
  readonly about: string;
  /** Where it is small enough to be carried about. */
  readonly bytes?: Buffer;
}

/** All that is ours in an image lies here, and takes the place of nothing that was there. */
export const FOLDER = 'opt/weft';
/** The name in it of what Lambda starts. */
export const PROGRAM = 'beside.mjs';

/**
 * Node by its own loader and with its own libraries, as an image may have others, or none; then our program, which
 * starts what follows.
 */
export const START: readonly string[] = [
  `/${FOLDER}/ld.so`,
  '--library-path',
  `/${FOLDER}/lib`,
  `/${FOLDER}/node`,
  `/${FOLDER}/${PROGRAM}`,
];

export interface Manifest {
  readonly config: Part;
  readonly layers: readonly Part[];
}

type Parsed = Readonly<Record<string, unknown>>;
type Fields = Pick<ContainerRevision, 'image' | 'command' | 'environment'>;

const MANIFEST_TYPES: ReadonlySet<string> = new Set(Object.values(MANIFESTS));

/** How a layer that is zipped is called beside a manifest of either kind. */
const LAYERS: Readonly<Record<string, string>> = {
  [MANIFESTS.docker]: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  [MANIFESTS.oci]: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

const odd = (image: string, what: string): Unfit => new Unfit('InvalidImage', `the image '${image}' ${what}`);

function parsed(image: string, bytes: Uint8Array): Parsed {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (typeof value === 'object' && value !== null) return value as Parsed;
  throw odd(image, 'is described in a way that nobody knows');
}

const needs = (processors: readonly Architecture[]): string =>
  `it needs to be for ${processors
    .map((name) => `linux/${name}`)
    .toSorted()
    .join(' or ')}`;

/** The digest of a list's image for the first of the processors. Throws Unfit where it has none for any. */
export function chosenFrom(image: string, list: Document, processors: readonly Architecture[] = ARCHITECTURES): string {
  const manifests = (parsed(image, list.bytes)['manifests'] ?? []) as readonly (Part & {
    readonly platform?: { readonly os?: string; readonly architecture?: string };
  })[];
  const linux = manifests.filter(({ platform }) => platform?.os === 'linux');
  for (const architecture of processors) {
    const found = linux.find(({ platform }) => platform?.architecture === architecture);
    if (found !== undefined) return found.digest;
  }
  const there = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ');
  throw new Unfit('WrongPlatform', `the image '${image}' is there for ${there || 'nothing'}; ${needs(processors)}`);
}

/** Throws Unfit for a manifest of a kind that Lambda does not take. */
export function readManifest(image: string, document: Document): Manifest {
  const isKnown = MANIFEST_TYPES.has(document.mediaType);
  const { config, layers } = isKnown ? parsed(image, document.bytes) : {};
  if (!Array.isArray(layers) || typeof config !== 'object' || config === null) {
    throw odd(image, `has a manifest of the kind '${document.mediaType}', which nobody knows here`);
  }
  const foreign = (layers as readonly Part[]).find(({ mediaType }) => /foreign|nondistributable/.test(mediaType));
  if (foreign !== undefined) throw odd(image, 'has a layer that may not be copied');
  return { config: config as Part, layers: layers as readonly Part[] };
}

/** The processor that an image is for. Throws Unfit for one that Lambda does not have. */
export function architectureOf(image: string, config: Uint8Array): Architecture {
  const { os, architecture } = parsed(image, config);
  const found = ARCHITECTURES.find((one) => one === architecture);
  if (found !== undefined && os === 'linux') return found;
  throw new Unfit('WrongPlatform', `the image '${image}' is for ${os}/${architecture}; ${needs(ARCHITECTURES)}`);
}

/** What runs in a container: a command takes the place of all of the image's own, as locally. */
function started(config: Parsed, { image, command, environment }: Fields): Parsed {
  const own = (config['Env'] ?? []) as readonly string[];
  const isGiven = (entry: string) => Object.hasOwn(environment, entry.slice(0, entry.indexOf('=')));
  const Env = [
    ...own.filter((entry) => !isGiven(entry)),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  const words = command.length > 0 ? command : [config['Entrypoint'], config['Cmd']].flatMap(wordsIn);
  if (words.length > 0) return { ...config, Env: Env.map(laidBy), Entrypoint: [...START, ...words], Cmd: [] };
  throw odd(image, 'has no command: name one in cmd');
}

const wordsIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list : []);

/**
 * The image with our layers on top, and the revision's command and environment: a new configuration and a new
 * manifest. The same parts give the same digests. Throws Unfit.
 */
export function wrapped(
  fields: Fields,
  source: Document,
  configBytes: Uint8Array,
  ours: readonly Layer[],
): { readonly config: Buffer; readonly manifest: Document } {
  const { config: part, layers } = readManifest(fields.image, source);
  const { rootfs, history, config: own, ...rest } = parsed(fields.image, configBytes);
  const unpacked = (rootfs as { readonly diff_ids?: readonly string[] } | undefined)?.diff_ids ?? [];
  const added = ours.map(({ about }) => ({ created_by: `weft: ${about}` }));
  const config = Buffer.from(
    JSON.stringify({
      ...rest,
      config: started((own ?? {}) as Parsed, fields),
      rootfs: { type: 'layers', diff_ids: [...unpacked, ...ours.map((layer) => layer.unpacked)] },
      ...(Array.isArray(history) && { history: [...history, ...added] }),
    }),
  );
  const mediaType = LAYERS[source.mediaType];
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: source.mediaType,
      config: { mediaType: part.mediaType, size: config.length, digest: digestOf(config) },
      layers: [
        ...layers.map(({ mediaType, size, digest }) => ({ mediaType, size, digest })),
        ...ours.map(({ size, digest }) => ({ mediaType, size, digest })),
      ],
    }),
  );
  return { config, manifest: { mediaType: source.mediaType, digest: digestOf(bytes), bytes } };
}
