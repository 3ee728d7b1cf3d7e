import type { RegistryCredentials } from '../../ports/containers.ts';

/** The name of Docker Hub in image names. */
export const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_ALIASES = new Set([
  DOCKER_HUB,
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'hub.docker.com',
]);

function normalizeHost(host: string): string {
  const lower = host.toLowerCase();
  return DOCKER_HUB_ALIASES.has(lower) ? DOCKER_HUB : lower;
}

/** The image's name with the host of its registry: `direktiv/request:v4` is `docker.io/direktiv/request:v4`. */
export function qualifiedName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (hasHost) return `${normalizeHost(first)}/${rest.join('/')}`;
  return `${DOCKER_HUB}/${rest.length === 0 ? 'library/' : ''}${image}`;
}

/** The host of the image's registry. */
export function registryHostOf(image: string): string {
  return qualifiedName(image).split('/')[0] ?? '';
}

/** The host and the path in the URL of stored credentials. */
function scopeOf(url: string): { readonly host: string; readonly path: string } {
  const withoutScheme = url.replace(/^[a-z]+:\/\//i, '');
  const [host = '', ...path] = withoutScheme.split('/');
  return { host: normalizeHost(host), path: path.filter((part) => part !== '' && !/^v[12]$/.test(part)).join('/') };
}

/** The credentials for the image's registry, in their order. Those of other registries must not be sent to it. */
export function credentialsFor(image: string, all: readonly RegistryCredentials[]): readonly RegistryCredentials[] {
  return all.filter(({ url }) => {
    const { host, path } = scopeOf(url);
    return qualifiedName(image).startsWith(path === '' ? `${host}/` : `${host}/${path}/`);
  });
}

/** Whether a registry is on this machine, where it has no certificate. `host` may have a port. */
export const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);

/** An image's name in parts. */
export interface ImageReference {
  /** The URL of its registry, without a slash at the end. */
  readonly base: string;
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
}

/** A host with a port. Podman reads `dir:/path`, `docker-archive:/path` and the like as images in files of this machine. */
const HOST = /^(?:[a-z0-9]+(?:[.-]+[a-z0-9]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The parts of an image's name; undefined for an invalid name. A digest takes precedence over a tag. */
export function parseImageName(image: string): ImageReference | undefined {
  const [host = '', ...path] = qualifiedName(image).split('/');
  const [named = '', digest] = path.join('/').split('@');
  const [repository = '', tag = 'latest', ...more] = named.split(':');
  const isName = HOST.test(host) && REPOSITORY.test(repository) && TAG.test(tag) && more.length === 0;
  if (!isName || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const server = host === DOCKER_HUB ? 'registry-1.docker.io' : host;
  const base = `${isLoopback(host) ? 'http' : 'https'}://${server}`;
  return URL.canParse(base) ? { base, repository, reference: digest ?? tag } : undefined;
}
