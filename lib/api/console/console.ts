import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ownMember } from '../../language/own-members.ts';
import { OPTIONS, plainError, RawReply, type Reply, redirect, UNROUTED } from '../http/reply.ts';
import { type RequestHead, toRequestHead } from '../http/request.ts';
import type { ConsoleFiles } from './files.ts';

/** The path of the console, after the stage of API Gateway if there is one. */
const HOME = '/ui';

/**
 * Only scripts and styles that are files of the console run, whatever text a user stored. The page sends no request to
 * another origin, and no other page may show it in a frame.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The headers of every reply of the console and of the documentation. */
export const GUARDS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Compressed forms of a file, the smaller first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The path without the escapes of a URL; empty for a broken one. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

/** A file whose name contains a hash of its content, so caches may keep it forever. */
async function assetReply(files: ConsoleFiles, path: string, { headers }: RequestHead): Promise<Reply> {
  const accepted = (headers['accept-encoding'] ?? '').split(/[,;\s]+/);
  const stored = ENCODINGS.find(([name, suffix]) => accepted.includes(name) && files.has(`${path}${suffix}`));
  const bytes = await files.read(`${path}${stored?.[1] ?? ''}`);
  const type = ownMember(TYPES, path.slice(path.lastIndexOf('.') + 1));
  if (bytes === undefined || type === undefined) return plainError(404, 'no such file of the console', GUARDS);
  return new RawReply(bytes, {
    ...GUARDS,
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(stored === undefined ? {} : { 'Content-Encoding': stored[0] }),
  });
}

const BASE = /^[\w./~-]*$/;

/** What a local service has beside the API: the documentation at `/docs`, namespaces that follow a repository at `/sync`. */
export type Beside = 'docs' | 'sync';

/** The page, which is the same for every address of the console; its files are relative to its base. */
async function pageReply(files: ConsoleFiles, { base }: RequestHead, beside: readonly Beside[]): Promise<Reply> {
  const bytes = await files.read('index.html');
  if (bytes === undefined) return plainError(503, 'the console is not built: run npm run build:web', GUARDS);
  const page = Buffer.from(bytes).toString();
  const home = BASE.test(base) ? `${base}${HOME}/` : `${HOME}/`;
  const headers = { ...GUARDS, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' };
  return new RawReply(page.replaceAll('{{base}}', home).replace('{{beside}}', beside.join(' ')), headers);
}

const isBrowser = ({ headers }: RequestHead): boolean => (headers['accept'] ?? '').includes('text/html');

/** Whether a path belongs to the console: its own, and the root, which redirects a browser to it. */
export const isConsolePath = (path: string): boolean => path === '/' || path === HOME || path.startsWith(`${HOME}/`);

/** The reply to a request for the console. Throws only the errors of reading its files. */
export async function consoleReply(
  files: ConsoleFiles,
  request: RequestHead,
  beside: readonly Beside[] = [],
): Promise<Reply> {
  const { method, path, base } = request;
  if (method === 'OPTIONS') return OPTIONS;
  if (path === '/') {
    if (!isBrowser(request)) return UNROUTED[404];
    return { ...redirect(`${base}${HOME}/`), status: 302 };
  }
  if (method !== 'GET' && method !== 'HEAD') return UNROUTED[405];
  const inside = decoded(path.slice(HOME.length + 1));
  return inside.startsWith('assets/') ? assetReply(files, inside, request) : pageReply(files, request, beside);
}

/** The handler of the console's Lambda: a whole reply to a proxy event of API Gateway. */
export function consoleHandler(files: ConsoleFiles) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const { status, headers, body } = await consoleReply(files, toRequestHead(event));
    const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
    return { statusCode: status, headers: { ...headers }, body: bytes.toString('base64'), isBase64Encoded: true };
  };
}
