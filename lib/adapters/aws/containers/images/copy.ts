import { RevisionFailedError } from '../../../../containers/errors.ts';
import { credentialsFor, parseImageName } from '../../../../containers/oci/image-names.ts';
import { imageError } from '../../../../containers/oci/image-problems.ts';
import {
  digestOf,
  INDEX_TYPES,
  type ManifestDocument,
  RejectedError,
  Repository,
} from '../../../../containers/oci/registry.ts';
import type { EgressGuard } from '../../../../egress/guard.ts';
import { UnreachableError } from '../../../../ports/callees/web.ts';
import type { ContainerRevision, RegistryCredentials } from '../../../../ports/containers.ts';
import type { LayerSource, OnProgress } from './layers.ts';
import { type Architecture, architectureOf, choosePlatform, parseManifest, wrapImage } from './manifests.ts';

/** The copied image in the target repository. */
export interface CopiedImage {
  readonly digest: string;
  readonly architecture: Architecture;
}

/** How images are copied. */
export interface CopyOptions {
  readonly guard: EgressGuard;
  readonly target: Repository;
  readonly layersFor: LayerSource;
  readonly onProgress: OnProgress;
}

type Source = Pick<ContainerRevision, 'image' | 'command' | 'environment' | 'credentials'>;

const ACCESS_DENIED: ReadonlySet<number> = new Set([401, 403]);

interface OpenedImage {
  readonly repository: Repository;
  readonly manifest: ManifestDocument;
}

/**
 * Copies an image into the target under a tag, with the layers of Weft on top. Parts that the target has are not
 * copied. Returns undefined when the time was over; the next call continues.
 * @throws RevisionFailedError, TransientError, and RejectedError when the target rejects a request.
 */
export async function copyImage(options: CopyOptions, source: Source, tag: string): Promise<CopiedImage | undefined> {
  const { guard, target, layersFor, onProgress } = options;
  const { image } = source;
  if (!(await onProgress('Pulling', `looking at the image '${image}'`))) return undefined;
  const opened = await openSource(guard, source);
  const config = await opened.repository.smallBlob(parseManifest(image, opened.manifest).config.digest);
  const architecture = architectureOf(image, config);
  const added = await layersFor(architecture, target, onProgress);
  if (added === undefined) return undefined;
  const wrapped = wrapImage(source, { manifest: opened.manifest, config }, added);
  if (!(await target.hasManifest(wrapped.manifest.digest))) {
    if (!(await copyLayers(options, image, opened))) return undefined;
    if (!(await onProgress('Pushing', `storing the image '${image}' with what runs beside it`))) return undefined;
    const blobs = [...added, { bytes: wrapped.config }];
    for (const { bytes } of blobs) if (bytes !== undefined) await addMissingBlob(target, bytes);
  }
  await target.addManifest(tag, wrapped.manifest);
  return { digest: wrapped.manifest.digest, architecture };
}

/** Tries the credentials in their order, and anonymous access last. If all fail, the first error counts. */
async function openSource(guard: EgressGuard, { image, credentials }: Source): Promise<OpenedImage> {
  const parsed = parseImageName(image);
  if (parsed === undefined) throw imageError('InvalidImageName', image);
  const { base, repository: name, reference } = parsed;
  const usable = credentialsFor(image, credentials);
  const errors: unknown[] = [];
  for (const login of [...usable, undefined]) {
    const repository = new Repository({ guard, base, name, login, actions: 'pull' });
    try {
      return { repository, manifest: await readManifest(image, repository, reference) };
    } catch (error) {
      const reason = toRevisionError(error, image, usable);
      if (!(error instanceof RejectedError)) throw reason;
      errors.push(reason);
    }
  }
  throw errors[0];
}

/** The manifest of an image; of an index, the manifest for an architecture that Lambda has. */
async function readManifest(image: string, repository: Repository, reference: string): Promise<ManifestDocument> {
  const found = await repository.manifest(reference);
  return INDEX_TYPES.has(found.mediaType) ? repository.manifest(choosePlatform(image, found)) : found;
}

/** The error for the user where the revision names an image that cannot be had; any other error stays as it is. */
function toRevisionError(error: unknown, image: string, usable: readonly RegistryCredentials[]): unknown {
  if (error instanceof UnreachableError) return new RevisionFailedError('RegistryUnreachable', error.message);
  if (!(error instanceof RejectedError)) return error;
  if (ACCESS_DENIED.has(error.status)) return imageError('Unauthorized', image, usable);
  if (error.status === 404) return imageError('ImageNotFound', image);
  return new RevisionFailedError('ContainerMissing', `the image '${image}' cannot be fetched: ${error.message}`);
}

/** False: the time was over before all layers were copied. */
async function copyLayers({ target, onProgress }: CopyOptions, image: string, source: OpenedImage): Promise<boolean> {
  const layers = [...new Set(parseManifest(image, source.manifest).layers.map(({ digest }) => digest))];
  for (const [index, digest] of layers.entries()) {
    if (await target.hasBlob(digest)) continue;
    const message = `copying layer ${index + 1} of ${layers.length} of the image '${image}'`;
    if (!(await onProgress('Pulling', message))) return false;
    await target.addBlob(digest, await source.repository.blob(digest));
  }
  return true;
}

async function addMissingBlob(target: Repository, bytes: Buffer): Promise<void> {
  const digest = digestOf(bytes);
  if (!(await target.hasBlob(digest))) await target.addBlob(digest, bytes);
}
