import { join } from 'node:path';
import { RevisionFailedError } from '../../../containers/errors.ts';
import { credentialsFor, qualifiedName, registryHostOf } from '../../../containers/oci/image-names.ts';
import { type IMAGE_PROBLEMS, imageError } from '../../../containers/oci/image-problems.ts';
import type { RegistryCredentials } from '../../../ports/containers.ts';
import { withLogin } from './credentials.ts';
import { type Engine, lastLine } from './engine.ts';

/**
 * Makes sure that the engine has the image, and gives the id of what it has: a tag that moves later changes nothing.
 * @throws Unfit when it cannot be had; aborted, when nobody wants it any longer.
 */
export async function fetchImage(
  engine: Engine,
  image: string,
  credentials: readonly RegistryCredentials[],
  signal: AbortSignal,
): Promise<string> {
  const mayHaveMoved = /[.:]/.test(image.split('/')[0] ?? '') && image.includes('/') && isLatest(image);
  const former = await idOf(engine, image);
  if (former !== undefined && !mayHaveMoved) return former;
  const refusal = await pull(engine, image, credentials, signal);
  if (refusal === undefined) return (await idOf(engine, qualifiedName(image))) ?? qualifiedName(image);
  // Whoever is not let in does not get what somebody else fetched.
  if (former !== undefined && refusal.reason !== 'Unauthorized') return former;
  throw refusal;
}

/** The id of an image that the engine has. */
export async function idOf(engine: Engine, image: string): Promise<string | undefined> {
  const { code, stdout } = await engine.run(['image', 'inspect', '--format', '{{.Id}}', '--', image]);
  return code === 0 ? stdout.trim() : undefined;
}

function isLatest(image: string): boolean {
  const name = image.split('/').at(-1) ?? '';
  return !name.includes('@') && (!name.includes(':') || name.endsWith(':latest'));
}

/** Tries the credentials in their order, and nobody's at last. The refusal of the first counts. */
async function pull(
  engine: Engine,
  image: string,
  all: readonly RegistryCredentials[],
  signal: AbortSignal,
): Promise<RevisionFailedError | undefined> {
  const refusals: RevisionFailedError[] = [];
  const fitting = credentialsFor(image, all);
  for (const credentials of [...fitting, undefined]) {
    const words = await withLogin(registryHostOf(image), credentials, (folder) =>
      pullWith(engine, image, folder, signal),
    );
    if (words === undefined) return undefined;
    refusals.push(toUnfit(image, words, fitting));
  }
  return refusals[0];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?\//;

/** Undefined: it is there now; else what the engine says. */
async function pullWith(
  engine: Engine,
  image: string,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = qualifiedName(image);
  const plain = LOOPBACK.test(name) ? ['--tls-verify=false'] : [];
  const words = {
    podman: ['pull', '--quiet', '--authfile', join(folder, 'config.json'), ...plain, '--', name],
    docker: [...(await dockerHost(engine)), '--config', folder, 'pull', '--quiet', '--', name],
  };
  const { code, stderr } = await engine.run(words[engine.kind], undefined, signal);
  return code === 0 ? undefined : stderr;
}

/** Another configuration folder makes docker forget which daemon its user has chosen. */
async function dockerHost(engine: Engine): Promise<string[]> {
  if (engine.kind !== 'docker') return [];
  const { stdout } = await engine.run(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}']);
  return stdout.trim() === '' ? [] : ['--host', stdout.trim()];
}

interface Sign {
  readonly sign: RegExp;
  readonly reason: keyof typeof IMAGE_PROBLEMS;
}

const SIGNS: readonly Sign[] = [
  {
    sign: /unauthorized|authentication required|access .*denied|forbidden|invalid username\/password/i,
    reason: 'Unauthorized',
  },
  { sign: /manifest unknown|not found|name unknown|no such image|does not exist/i, reason: 'ImageNotFound' },
  { sign: /invalid reference format|invalid image/i, reason: 'InvalidImageName' },
  {
    sign: /connection refused|no such host|timeout|server misbehaving|unreachable|dial tcp|no route/i,
    reason: 'RegistryUnreachable',
  },
];

function toUnfit(image: string, said: string, fitting: readonly RegistryCredentials[]): RevisionFailedError {
  const known = SIGNS.find(({ sign }) => sign.test(said));
  if (known !== undefined) return imageError(known.reason, image, fitting);
  return new RevisionFailedError('ContainerMissing', `the image '${image}' cannot be fetched: ${lastLine(said)}`);
}
