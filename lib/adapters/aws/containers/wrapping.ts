import type { ContainerRevision } from '../../../ports.ts';
import { type Document, digestOf, MANIFESTS, type Part } from './registry.ts';
import { Unfit } from './unfit.ts';

/** The processors that Lambda has, as images name them; the cheaper one first. */
export const ARCHITECTURES = ['arm64', 'amd64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** One layer: how it is stored, and the digest of what it unpacks to. */
export interface Layer {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly unpacked: string;
}

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

/** The digests of a list's images for the processors that Lambda has. Throws Unfit where it has neither. */
export function chosenFrom(image: string, list: Document): string {
  const manifests = (parsed(image, list.bytes)['manifests'] ?? []) as readonly (Part & {
    readonly platform?: { readonly os?: string; readonly architecture?: string };
  })[];
  const linux = manifests.filter(({ platform }) => platform?.os === 'linux');
  for (const architecture of ARCHITECTURES) {
    const found = linux.find(({ platform }) => platform?.architecture === architecture);
    if (found !== undefined) return found.digest;
  }
  const there = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ');
  throw new Unfit(
    'WrongPlatform',
    `the image '${image}' is there for ${there || 'nothing'}; it needs to be for linux/amd64 or linux/arm64`,
  );
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
  throw new Unfit(
    'WrongPlatform',
    `the image '${image}' is for ${os}/${architecture}; it needs to be for linux/amd64 or linux/arm64`,
  );
}

/** What runs in a container: a command takes the place of all of the image's own, as locally. */
function started(config: Parsed, { image, command, environment }: Fields): Parsed {
  const own = (config['Env'] ?? []) as readonly string[];
  const isGiven = (entry: string) => Object.hasOwn(environment, entry.slice(0, entry.indexOf('=')));
  const Env = [
    ...own.filter((entry) => !isGiven(entry)),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  const [program, ...args] = command;
  const made: Parsed =
    program === undefined ? { ...config, Env } : { ...config, Env, Entrypoint: [program], Cmd: args };
  const words = [made['Entrypoint'], made['Cmd']].flatMap((list) => (Array.isArray(list) ? list : []));
  if (words.length > 0) return made;
  throw odd(image, 'has no command: name one in cmd');
}

/**
 * The image with a layer more and the revision's command and environment: a new configuration and a new manifest. The
 * same parts give the same digests. Throws Unfit.
 */
export function wrapped(
  fields: Fields,
  source: Document,
  configBytes: Uint8Array,
  layer: Layer,
): { readonly config: Buffer; readonly manifest: Document } {
  const { config: part, layers } = readManifest(fields.image, source);
  const { rootfs, history, config: own, ...rest } = parsed(fields.image, configBytes);
  const unpacked = (rootfs as { readonly diff_ids?: readonly string[] } | undefined)?.diff_ids ?? [];
  const config = Buffer.from(
    JSON.stringify({
      ...rest,
      config: started((own ?? {}) as Parsed, fields),
      rootfs: { type: 'layers', diff_ids: [...unpacked, layer.unpacked] },
      ...(Array.isArray(history) && { history: [...history, { created_by: 'weft: Lambda Web Adapter' }] }),
    }),
  );
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: source.mediaType,
      config: { mediaType: part.mediaType, size: config.length, digest: digestOf(config) },
      layers: [
        ...layers.map(({ mediaType, size, digest }) => ({ mediaType, size, digest })),
        { mediaType: LAYERS[source.mediaType], size: layer.bytes.length, digest: layer.digest },
      ],
    }),
  );
  return { config, manifest: { mediaType: source.mediaType, digest: digestOf(bytes), bytes } };
}
