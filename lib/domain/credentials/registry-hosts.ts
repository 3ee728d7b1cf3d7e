import { ServiceError } from '../errors.ts';

/** The names of the registry that images without one come from. */
const HUB = 'registry-1.docker.io';
const NAMES_OF_HUB: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry.hub.docker.com', HUB]);

const named = (host: string): string => (NAMES_OF_HUB.has(host) ? HUB : host);

/** What can be no address is never asked of the database, whose keys are text that is not empty. */
export const mayBeUrl = (text: string): boolean => text !== '' && text.isWellFormed();

function needUrl(text: string): URL {
  const url = mayBeUrl(text) ? URL.parse(text) : null;
  const problem =
    url === null || !/^https?:$/.test(url.protocol)
      ? 'write it as https://docker.io'
      : url.username !== '' || url.password !== ''
        ? 'user and token belong into a field of their own'
        : undefined;
  if (url !== null && problem === undefined) return url;
  const shown = text.replace(/\/\/[^/]*@/, '//***@').slice(0, 200);
  throw new ServiceError('refused', `'${shown}' is no address of a registry: ${problem}`);
}

/** The server of a registry, with its port if that is a special one. Throws `refused` for a text that names none. */
export function hostOf(url: string): string {
  return named(needUrl(url).host);
}

/** Where a registry answers, without a slash at the end. Throws `refused`. */
export function baseOf(url: string): string {
  const { protocol, host } = needUrl(url);
  return `${protocol}//${named(host)}`;
}

/** The server that an image comes from: its first part if that looks like one, else the hub. */
export function hostOfImage(image: string): string {
  const [first = '', ...rest] = image.replace(/^https?:\/\//, '').split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return named(isHost ? first.toLowerCase() : HUB);
}
