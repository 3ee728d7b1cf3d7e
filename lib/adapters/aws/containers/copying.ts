import { credentialsFor, placeOf } from '../../../containers/oci/image-names.ts';
import { type Document, digestOf, LISTS, Refused, Repository } from '../../../containers/oci/registry.ts';
import { Unfit, unfit } from '../../../containers/oci/unsupported-image.ts';
import type { ContainerRevision, RegistryCredentials } from '../../../ports/containers.ts';
import { UnreachableError } from '../../../ports/web.ts';
import type { Guard } from '../../portable/web.ts';
import type { LayersFor, Next } from './layers.ts';
import { type Architecture, architectureOf, chosenFrom, readManifest, wrapped } from './wrapping.ts';

/** What an image became: where it is in the target, and what it runs on. */
export interface Wrapped {
  readonly digest: string;
  readonly architecture: Architecture;
}

export interface Copying {
  readonly guard: Guard;
  readonly target: Repository;
  readonly layersFor: LayersFor;
  readonly next: Next;
}

type Source = Pick<ContainerRevision, 'image' | 'command' | 'environment' | 'credentials'>;

const NOT_LET_IN: ReadonlySet<number> = new Set([401, 403]);

interface Opened {
  readonly repository: Repository;
  readonly manifest: Document;
}

/** A tag or a digest that leads to a list leads on to the image for a processor that Lambda has. */
async function readFrom(image: string, repository: Repository, reference: string): Promise<Document> {
  const found = await repository.manifest(reference);
  return LISTS.has(found.mediaType) ? repository.manifest(chosenFrom(image, found)) : found;
}

/** What a user named wrongly, in words for them; anything else passes by itself. */
function toUnfit(error: unknown, image: string, fitting: readonly RegistryCredentials[]): unknown {
  if (error instanceof UnreachableError) return new Unfit('RegistryUnreachable', error.message);
  if (!(error instanceof Refused)) return error;
  if (NOT_LET_IN.has(error.status)) return unfit('Unauthorized', image, fitting);
  if (error.status === 404) return unfit('ImageNotFound', image);
  return new Unfit('ContainerMissing', `the image '${image}' cannot be fetched: ${error.message}`);
}

/** Tries the credentials in their order, and nobody's at last. The refusal of the first counts. */
async function openSource(guard: Guard, { image, credentials }: Source): Promise<Opened> {
  const place = placeOf(image);
  if (place === undefined) throw unfit('InvalidImageName', image);
  const fitting = credentialsFor(image, credentials);
  const refusals: unknown[] = [];
  for (const login of [...fitting, undefined]) {
    const repository = new Repository(guard, place.base, place.repository, login, 'pull');
    try {
      return { repository, manifest: await readFrom(image, repository, place.reference) };
    } catch (error) {
      if (!(error instanceof Refused)) throw toUnfit(error, image, fitting);
      refusals.push(toUnfit(error, image, fitting));
    }
  }
  throw refusals[0];
}

/** False: time was over before all were there. Those that are there are not asked for again. */
async function copyLayers({ target, next }: Copying, image: string, source: Opened): Promise<boolean> {
  const layers = [...new Set(readManifest(image, source.manifest).layers.map(({ digest }) => digest))];
  for (const [index, digest] of layers.entries()) {
    if (await target.hasBlob(digest)) continue;
    if (!(await next('Pulling', `copying layer ${index + 1} of ${layers.length} of the image '${image}'`)))
      return false;
    await target.addBlob(digest, await source.repository.blob(digest));
  }
  return true;
}

async function addMissing(target: Repository, bytes: Buffer): Promise<void> {
  const digest = digestOf(bytes);
  if (!(await target.hasBlob(digest))) await target.addBlob(digest, bytes);
}

/**
 * Copies an image into the target with our layers on top, under a tag; what is there already is not copied. Undefined:
 * time was over; the next call goes on. Throws Unfit, Passing, and Refused when the target refuses something.
 */
export async function copyImage(copying: Copying, source: Source, tag: string): Promise<Wrapped | undefined> {
  const { guard, target, layersFor, next } = copying;
  const { image } = source;
  if (!(await next('Pulling', `looking at the image '${image}'`))) return undefined;
  const opened = await openSource(guard, source);
  const config = await opened.repository.smallBlob(readManifest(image, opened.manifest).config.digest);
  const architecture = architectureOf(image, config);
  const ours = await layersFor(architecture, target, next);
  if (ours === undefined) return undefined;
  const made = wrapped(source, opened.manifest, config, ours);
  if (!(await target.hasManifest(made.manifest.digest))) {
    if (!(await copyLayers(copying, image, opened))) return undefined;
    if (!(await next('Pushing', `storing the image '${image}' with what runs beside it`))) return undefined;
    for (const { bytes } of [...ours, { bytes: made.config }]) if (bytes !== undefined) await addMissing(target, bytes);
  }
  await target.addManifest(tag, made.manifest);
  return { digest: made.manifest.digest, architecture };
}
