import { ServiceError } from '../errors.ts';

/** The registry of images whose names contain none, and its other names. */
const HUB = 'registry-1.docker.io';
const HUB_NAMES: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry.hub.docker.com', HUB]);

const canonical = (host: string): string => (HUB_NAMES.has(host) ? HUB : host);

/** False for texts that the database cannot hold in a key: the empty text, and malformed UTF-16. */
export const mayBeUrl = (text: string): boolean => text !== '' && text.isWellFormed();

function problemOf(url: URL | null): string | undefined {
  if (url === null || !/^https?:$/.test(url.protocol)) return 'write it as https://docker.io';
  const hasUser = url.username !== '' || url.password !== '';
  return hasUser ? 'remove the user and the token from it, they have their own fields' : undefined;
}

function needUrl(text: string): URL {
  const url = mayBeUrl(text) ? URL.parse(text) : null;
  const problem = problemOf(url);
  if (url !== null && problem === undefined) return url;
  const shown = text.replace(/\/\/[^/]*@/, '//***@').slice(0, 200);
  throw new ServiceError('refused', `'${shown}' is not the address of a registry: ${problem}`);
}

/** The host of a registry, with its port unless that is the default. Throws `refused` for a malformed address. */
export function hostOf(url: string): string {
  return canonical(needUrl(url).host);
}

/** The base URL of a registry, without a trailing slash. Throws `refused` for a malformed address. */
export function baseOf(url: string): string {
  const { protocol, host } = needUrl(url);
  return `${protocol}//${canonical(host)}`;
}

/** The registry of an image: the first part of its name if that is a host, else Docker Hub. */
export function hostOfImage(image: string): string {
  const [first = '', ...rest] = image.replace(/^https?:\/\//, '').split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return canonical(isHost ? first.toLowerCase() : HUB);
}
