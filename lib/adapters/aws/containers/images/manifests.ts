import { RevisionFailedError } from '../../../../containers/errors.ts';
import {
  type Descriptor,
  digestOf,
  MANIFEST_TYPES,
  type ManifestDocument,
} from '../../../../containers/oci/registry.ts';
import { escapeVariable } from '../../../../containers/sidecar/lambda/image-environment.ts';
import { parseJson } from '../../../../language/json-numbers.ts';
import type { ContainerRevision } from '../../../../ports/containers.ts';

/** The architectures of Lambda, as images name them; the cheaper one first. */
export const ARCHITECTURES = ['arm64', 'amd64'] as const;
/** An architecture of Lambda. */
export type Architecture = (typeof ARCHITECTURES)[number];

/** A gzip layer. */
export interface Layer {
  readonly digest: string;
  /** The digest of the uncompressed archive. */
  readonly unpacked: string;
  readonly size: number;
  /** The content, for the history of the image. */
  readonly about: string;
  /** Undefined: the target has the layer already. */
  readonly bytes?: Buffer;
}

/** The folder of all files that Weft adds to an image; no file of the image is replaced. */
export const FOLDER = 'opt/weft';
/** The file name of the sidecar in it. */
export const PROGRAM = 'beside.mjs';

/**
 * The start of the entry point: Node, by its own dynamic loader and with its own libraries, because an image may have
 * others or none. Then the sidecar, which starts the words that follow as the container's program.
 */
export const LAUNCHER: readonly string[] = [
  `/${FOLDER}/ld.so`,
  '--library-path',
  `/${FOLDER}/lib`,
  `/${FOLDER}/node`,
  `/${FOLDER}/${PROGRAM}`,
];

/** An image manifest. */
export interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** An image as its registry serves it. */
export interface ImageDocuments {
  readonly manifest: ManifestDocument;
  /** The image configuration. */
  readonly config: Uint8Array;
}

type JsonObject = Readonly<Record<string, unknown>>;
type Fields = Pick<ContainerRevision, 'image' | 'command' | 'environment'>;

const SUPPORTED_TYPES: ReadonlySet<string> = new Set(Object.values(MANIFEST_TYPES));

/** The media type of a gzip layer, by the media type of its manifest. */
const LAYER_TYPES: ReadonlyMap<string, string> = new Map([
  [MANIFEST_TYPES.docker, 'application/vnd.docker.image.rootfs.diff.tar.gzip'],
  [MANIFEST_TYPES.oci, 'application/vnd.oci.image.layer.v1.tar+gzip'],
]);

const invalidImage = (image: string, problem: string): RevisionFailedError =>
  new RevisionFailedError('InvalidImage', `the image '${image}' ${problem}`);

function parseObject(image: string, bytes: Uint8Array): JsonObject {
  const value: unknown = parseJson(Buffer.from(bytes).toString('utf8'));
  if (typeof value === 'object' && value !== null) return value as JsonObject;
  throw invalidImage(image, 'has a description that is no JSON object');
}

const needs = (architectures: readonly Architecture[]): string =>
  `it needs to be for ${architectures
    .map((name) => `linux/${name}`)
    .toSorted()
    .join(' or ')}`;

/**
 * The digest of the manifest for the first of the architectures that an image index has.
 * @throws RevisionFailedError when it has none of them.
 */
export function choosePlatform(
  image: string,
  index: ManifestDocument,
  architectures: readonly Architecture[] = ARCHITECTURES,
): string {
  const manifests = (parseObject(image, index.bytes)['manifests'] ?? []) as readonly (Descriptor & {
    readonly platform?: { readonly os?: string; readonly architecture?: string };
  })[];
  const linux = manifests.filter(({ platform }) => platform?.os === 'linux');
  for (const architecture of architectures) {
    const found = linux.find(({ platform }) => platform?.architecture === architecture);
    if (found !== undefined) return found.digest;
  }
  const available = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ');
  const problem = `the image '${image}' is there for ${available || 'nothing'}; ${needs(architectures)}`;
  throw new RevisionFailedError('WrongPlatform', problem);
}

/**
 * Parses an image manifest.
 * @throws RevisionFailedError for a media type, or a layer, that cannot be copied for Lambda.
 */
export function parseManifest(image: string, document: ManifestDocument): Manifest {
  const isSupported = SUPPORTED_TYPES.has(document.mediaType);
  const { config, layers } = isSupported ? parseObject(image, document.bytes) : {};
  if (!Array.isArray(layers) || typeof config !== 'object' || config === null) {
    throw invalidImage(image, `has a manifest of the kind '${document.mediaType}', which is not supported`);
  }
  const foreign = (layers as readonly Descriptor[]).find(({ mediaType }) => /foreign|nondistributable/.test(mediaType));
  if (foreign !== undefined) throw invalidImage(image, 'has a layer that may not be copied');
  return { config: config as Descriptor, layers: layers as readonly Descriptor[] };
}

/**
 * The architecture of an image, from its configuration.
 * @throws RevisionFailedError when Lambda does not have it.
 */
export function architectureOf(image: string, config: Uint8Array): Architecture {
  const { os, architecture } = parseObject(image, config);
  const found = ARCHITECTURES.find((one) => one === architecture);
  if (found !== undefined && os === 'linux') return found;
  const platform = [os, architecture].map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('/');
  const problem = `the image '${image}' is for ${platform}; ${needs(ARCHITECTURES)}`;
  throw new RevisionFailedError('WrongPlatform', problem);
}

/**
 * A new configuration and a new manifest: the image with the layers on top, and with the command and the environment of
 * the revision. The same input gives the same digests.
 * @throws RevisionFailedError
 */
export function wrapImage(
  fields: Fields,
  { manifest, config: configBytes }: ImageDocuments,
  added: readonly Layer[],
): { readonly config: Buffer; readonly manifest: ManifestDocument } {
  const { config: descriptor, layers } = parseManifest(fields.image, manifest);
  const config = wrapConfig(fields, configBytes, added);
  const mediaType = LAYER_TYPES.get(manifest.mediaType);
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifest.mediaType,
      config: { mediaType: descriptor.mediaType, size: config.length, digest: digestOf(config) },
      layers: [
        ...layers.map(({ mediaType, size, digest }) => ({ mediaType, size, digest })),
        ...added.map(({ size, digest }) => ({ mediaType, size, digest })),
      ],
    }),
  );
  return { config, manifest: { mediaType: manifest.mediaType, digest: digestOf(bytes), bytes } };
}

function wrapConfig(fields: Fields, configBytes: Uint8Array, added: readonly Layer[]): Buffer {
  const { rootfs, history, config, ...rest } = parseObject(fields.image, configBytes);
  const unpacked = (rootfs as { readonly diff_ids?: readonly string[] } | undefined)?.diff_ids ?? [];
  const addedHistory = added.map(({ about }) => ({ created_by: `weft: ${about}` }));
  return Buffer.from(
    JSON.stringify({
      ...rest,
      config: toRunConfig((config ?? {}) as JsonObject, fields),
      rootfs: { type: 'layers', diff_ids: [...unpacked, ...added.map((layer) => layer.unpacked)] },
      ...(Array.isArray(history) && { history: [...history, ...addedHistory] }),
    }),
  );
}

/** A command of the revision replaces both the entry point and the command of the image, as it does locally. */
function toRunConfig(config: JsonObject, { image, command, environment }: Fields): JsonObject {
  const own = (config['Env'] ?? []) as readonly string[];
  const isOverridden = (entry: string) => Object.hasOwn(environment, entry.slice(0, entry.indexOf('=')));
  const Env = [
    ...own.filter((entry) => !isOverridden(entry)),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  const words = command.length > 0 ? command : [config['Entrypoint'], config['Cmd']].flatMap(toWords);
  if (words.length > 0)
    return { ...config, Env: Env.map(escapeVariable), Entrypoint: [...LAUNCHER, ...words], Cmd: [] };
  throw invalidImage(image, 'has no command: name one in cmd');
}

const toWords = (list: unknown): readonly string[] => (Array.isArray(list) ? list : []);
