import { ownMember } from '../../language/own-members.ts';
import { OPTIONS, plainError, RawReply, type Reply, redirect, UNROUTED } from '../http/reply.ts';
import type { RequestHead } from '../http/request.ts';
import { GUARDS } from './console.ts';
import type { ConsoleFiles } from './files.ts';

/** The path of the documentation. */
const HOME = '/docs';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** The names of those files contain a hash of their content. */
const HASHED = /^assets\/.*-[A-Za-z0-9]{8}\.\w+$/;

/** Whether a path belongs to the documentation. */
export const isSitePath = (path: string): boolean => path === HOME || path.startsWith(`${HOME}/`);

/** The file of a path below the documentation: its own, or a page or a description whose name it has. */
function fileOf(files: ConsoleFiles, path: string): string | undefined {
  const names = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`, `${path}.json`];
  return names.find((name) => files.has(name) && ownMember(TYPES, name.slice(name.lastIndexOf('.') + 1)) !== undefined);
}

/**
 * The reply to a request for a page of the documentation, or for a file of it. `files` is undefined if it is not built.
 * Throws only the errors of reading its files.
 */
export async function siteReply(files: ConsoleFiles | undefined, { method, path, base }: RequestHead): Promise<Reply> {
  if (method === 'OPTIONS') return OPTIONS;
  if (method !== 'GET' && method !== 'HEAD') return UNROUTED[405];
  if (files === undefined) return plainError(503, 'the documentation is not built: run npm run docs:site', GUARDS);
  if (path === HOME) return { ...redirect(`${base}${HOME}/`), status: 302 };
  const inside = path.slice(HOME.length + 1);
  const file = fileOf(files, inside);
  if (file === undefined) {
    // The links of a page are relative to its folder.
    if (files.has(`${inside}/index.html`)) return { ...redirect(`${base}${HOME}/${inside}/`), status: 302 };
    return plainError(404, `no such page of the documentation; ${HOME}/ lists all`, GUARDS);
  }
  return new RawReply((await files.read(file)) ?? '', {
    ...GUARDS,
    'Content-Type': ownMember(TYPES, file.slice(file.lastIndexOf('.') + 1)) ?? '',
    'Cache-Control': HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
}
