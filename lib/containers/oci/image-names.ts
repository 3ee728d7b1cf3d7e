import type { RegistryCredentials } from '../../ports/containers.ts';

const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_NAMES = new Set([
  DOCKER_HUB,
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'hub.docker.com',
]);

function plainHost(host: string): string {
  const lower = host.toLowerCase();
  return DOCKER_HUB_NAMES.has(lower) ? DOCKER_HUB : lower;
}

/** The image's name with its registry's host: `direktiv/request:v4` is `docker.io/direktiv/request:v4`. */
export function qualified(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (hasHost) return `${plainHost(first)}/${rest.join('/')}`;
  return `${DOCKER_HUB}/${rest.length === 0 ? 'library/' : ''}${image}`;
}

export function hostOf(image: string): string {
  return qualified(image).split('/')[0] ?? '';
}

function registryOf(url: string): { readonly host: string; readonly path: string } {
  const bare = url.replace(/^[a-z]+:\/\//i, '');
  const [host = '', ...path] = bare.split('/');
  return { host: plainHost(host), path: path.filter((part) => part !== '' && !/^v[12]$/.test(part)).join('/') };
}

/** The credentials that are for the image's registry, in their order: others must not learn of them. */
export function credentialsFor(image: string, all: readonly RegistryCredentials[]): readonly RegistryCredentials[] {
  return all.filter(({ url }) => {
    const { host, path } = registryOf(url);
    return qualified(image).startsWith(path === '' ? `${host}/` : `${host}/${path}/`);
  });
}

/** Whether a registry is on this machine, where it has no certificate. */
export const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);

/** Where an image is. */
export interface ImagePlace {
  /** Where its registry answers, without a slash at the end. */
  readonly base: string;
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
}

const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Reads the name of an image; undefined: it is none. A digest counts more than a tag beside it. */
export function placeOf(image: string): ImagePlace | undefined {
  const [host = '', ...path] = qualified(image).split('/');
  const [named = '', digest] = path.join('/').split('@');
  const [repository = '', tag = 'latest', ...more] = named.split(':');
  const isName = REPOSITORY.test(repository) && TAG.test(tag) && more.length === 0;
  if (!isName || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const server = host === DOCKER_HUB ? 'registry-1.docker.io' : host;
  const base = `${isLoopback(host) ? 'http' : 'https'}://${server}`;
  return URL.canParse(base) ? { base, repository, reference: digest ?? tag } : undefined;
}
