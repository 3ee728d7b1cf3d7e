import { join } from 'node:path';
import { RevisionFailedError } from '../../../containers/errors.ts';
import {
  credentialsFor,
  isLoopback,
  parseImageName,
  qualifiedName,
  registryHostOf,
} from '../../../containers/oci/image-names.ts';
import { type IMAGE_PROBLEMS, imageError } from '../../../containers/oci/image-problems.ts';
import type { RegistryCredentials } from '../../../ports/containers.ts';
import { withAuthFile } from './credentials.ts';
import { type Engine, lastLine } from './engine/engine.ts';
import type { PrivateImages } from './private-images.ts';

/** Which image is fetched, and how. */
export interface FetchOptions {
  readonly engine: Engine;
  readonly image: string;
  readonly credentials: readonly RegistryCredentials[];
  readonly signal: AbortSignal;
  /** The tenant that uses the image. */
  readonly tenant: string;
  readonly privateImages: PrivateImages;
}

/**
 * Fetches the image unless the engine has it, and returns its id: a tag that moves later has no effect on the revision.
 * An image that another tenant fetched with credentials is fetched again, with those of this one: the engine has its
 * layers, and the registry decides about access.
 * @throws RevisionFailedError when the image cannot be fetched; at the signal the fetch is aborted.
 */
export async function fetchImage(options: FetchOptions): Promise<string> {
  const { engine, image, tenant, privateImages } = options;
  if (parseImageName(image) === undefined) throw imageError('InvalidImageName', image);
  const mayHaveMoved = /[.:]/.test(image.split('/')[0] ?? '') && image.includes('/') && isLatest(image);
  const former = await imageIdOf(engine, image);
  const mayUse = former !== undefined && privateImages.isAvailable(former, repositoryOf(image), tenant);
  if (mayUse && !mayHaveMoved) return former;
  const pulled = await pull(options);
  if (typeof pulled === 'string') return pulled;
  // Without access, the revision must not use an image that another one fetched.
  if (mayUse && pulled.reason !== 'Unauthorized') return former;
  throw pulled;
}

/** The qualified name of an image without tag and digest. */
const repositoryOf = (image: string): string =>
  qualifiedName(image)
    .replace(/@.*$/, '')
    .replace(/:[^/:]*$/, '');

/** The id of an image; undefined if the engine does not have it. */
export async function imageIdOf(engine: Engine, image: string): Promise<string | undefined> {
  const { code, stdout } = await engine.run(['image', 'inspect', '--format', '{{.Id}}', '--', image]);
  return code === 0 ? stdout.trim() : undefined;
}

function isLatest(image: string): boolean {
  const name = image.split('/').at(-1) ?? '';
  return !name.includes('@') && (!name.includes(':') || name.endsWith(':latest'));
}

/** Tries the credentials in their order, and anonymous access last. If all fail, the first error counts. */
async function pull(options: FetchOptions): Promise<string | RevisionFailedError> {
  const { image, tenant, privateImages } = options;
  const usable = credentialsFor(image, options.credentials);
  const errors: RevisionFailedError[] = [];
  for (const credentials of [...usable, undefined]) {
    const attempt = async (): Promise<string | undefined> => {
      const result = await withAuthFile(registryHostOf(image), credentials, (folder) => pullWith(options, folder));
      if ('id' in result) return result.id;
      errors.push(toRevisionError(image, result.output, usable));
      return undefined;
    };
    const isPrivate = credentials !== undefined;
    const id = await (isPrivate ? privateImages.fetch(repositoryOf(image), tenant, attempt) : attempt());
    if (id !== undefined) return id;
  }
  return errors[0] ?? imageError('ImageNotFound', image, usable);
}

/** The id of the fetched image, or the error output of the engine. */
async function pullWith(
  { engine, image, signal }: FetchOptions,
  folder: string,
): Promise<{ readonly id: string } | { readonly output: string }> {
  const name = qualifiedName(image);
  const plain = isLoopback(registryHostOf(image)) ? ['--tls-verify=false'] : [];
  const args = {
    podman: ['pull', '--quiet', '--authfile', join(folder, 'config.json'), ...plain, '--', name],
    docker: [...(await dockerHost(engine)), '--config', folder, 'pull', '--quiet', '--', name],
  };
  const { code, stderr } = await engine.run(args[engine.kind], undefined, signal);
  if (code !== 0) return { output: stderr };
  return { id: (await imageIdOf(engine, name)) ?? name };
}

/** With another configuration folder, docker ignores the daemon that its user has selected. */
async function dockerHost(engine: Engine): Promise<string[]> {
  if (engine.kind !== 'docker') return [];
  const { stdout } = await engine.run(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
  return stdout.trim() === '' ? [] : ['--host', stdout.trim()];
}

/** The reason of a failed pull, by a pattern of the engine's error output. */
const REASONS: readonly { readonly pattern: RegExp; readonly reason: keyof typeof IMAGE_PROBLEMS }[] = [
  {
    pattern: /unauthorized|authentication required|access .*denied|forbidden|invalid username\/password/i,
    reason: 'Unauthorized',
  },
  { pattern: /manifest unknown|not found|name unknown|no such image|does not exist/i, reason: 'ImageNotFound' },
  { pattern: /invalid reference format|invalid image/i, reason: 'InvalidImageName' },
  {
    pattern: /connection refused|no such host|timeout|server misbehaving|unreachable|dial tcp|no route/i,
    reason: 'RegistryUnreachable',
  },
];

function toRevisionError(image: string, output: string, usable: readonly RegistryCredentials[]): RevisionFailedError {
  const known = REASONS.find(({ pattern }) => pattern.test(output));
  if (known !== undefined) return imageError(known.reason, image, usable);
  return new RevisionFailedError('ContainerMissing', `the image '${image}' cannot be fetched: ${lastLine(output)}`);
}
