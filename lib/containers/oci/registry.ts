import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Guard } from '../../adapters/portable/web.ts';
import { bytesOf, type Message, Passing, send } from './connection.ts';
import { authorizationFor, type Login } from './login.ts';

/** A registry's answer that ends the matter: it does not let in, or has no such thing. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Part of an image as manifests name it. */
export interface Part {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
}

export interface Document {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** The media types of manifests of one image, and of lists of them, of docker and of OCI. */
export const MANIFESTS = {
  docker: 'application/vnd.docker.distribution.manifest.v2+json',
  oci: 'application/vnd.oci.image.manifest.v1+json',
} as const;
export const LISTS: ReadonlySet<string> = new Set([
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.index.v1+json',
]);
const ACCEPTED = [...Object.values(MANIFESTS), ...LISTS].join(', ');

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * One repository of a registry that speaks the OCI distribution protocol. Every method throws Refused,
 * Passing, UnreachableError.
 */
export class Repository {
  readonly #guard: Guard;
  readonly #base: string;
  readonly #scope: string;
  readonly #login: Login | undefined;
  #authorization: string | undefined;

  /** `base` is the registry's address without a slash at the end; `actions` are what the rights are asked for. */
  constructor(guard: Guard, base: string, name: string, login: Login | undefined, actions: 'pull' | 'pull,push') {
    this.#guard = guard;
    this.#base = `${base}/v2/${name}`;
    this.#scope = `repository:${name}:${actions}`;
    this.#login = login;
  }

  async manifest(reference: string): Promise<Document> {
    const url = this.#url(`/manifests/${reference}`);
    const answer = await this.#ask(url, { method: 'GET', headers: { accept: ACCEPTED } }, [200]);
    const bytes = await bytesOf(answer);
    const digest = digestOf(bytes);
    if (/^sha256:/.test(reference) && digest !== reference)
      throw new Refused(502, `${url} is not what its digest says`);
    return { mediaType: mediaTypeOf(bytes, answer), digest, bytes };
  }

  async blob(digest: string): Promise<IncomingMessage> {
    return this.#ask(this.#url(`/blobs/${digest}`), { method: 'GET' }, [200]);
  }

  /** The bytes of a small blob, compared with its digest. */
  async smallBlob(digest: string, mostBytes?: number): Promise<Buffer> {
    const bytes = await bytesOf(await this.blob(digest), mostBytes);
    if (digestOf(bytes) !== digest) throw new Passing(`what came as ${digest} is something else`);
    return bytes;
  }

  async hasBlob(digest: string): Promise<boolean> {
    return this.#has(`/blobs/${digest}`);
  }

  async hasManifest(reference: string): Promise<boolean> {
    return this.#has(`/manifests/${reference}`);
  }

  /** The registry itself compares the bytes with the digest, which is asked for once they were all sent. */
  async addBlob(digest: string | (() => string), body: Uint8Array | Readable): Promise<void> {
    const begun = await this.#ask(this.#url('/blobs/uploads/'), { method: 'POST', body: new Uint8Array() }, [202]);
    const sent = await this.#ask(
      this.#next(begun),
      { method: 'PATCH', headers: { 'content-type': 'application/octet-stream' }, body },
      [202, 204],
    );
    const end = this.#next(sent);
    end.searchParams.set('digest', typeof digest === 'string' ? digest : digest());
    await this.#ask(end, { method: 'PUT', body: new Uint8Array() }, [201, 204]);
  }

  async addManifest(reference: string, { mediaType, bytes }: Document): Promise<void> {
    const message: Message = { method: 'PUT', headers: { 'content-type': mediaType }, body: bytes };
    await this.#ask(this.#url(`/manifests/${reference}`), message, [201]);
  }

  #url(path: string): URL {
    return new URL(this.#base + path);
  }

  async #has(path: string): Promise<boolean> {
    const message: Message = { method: 'HEAD', headers: { accept: ACCEPTED } };
    return (await this.#ask(this.#url(path), message, [200, 404])).statusCode === 200;
  }

  /** Where an upload goes on, which may be said in part only. */
  #next(answer: IncomingMessage): URL {
    return new URL(answer.headers.location ?? '', this.#base);
  }

  /** An answer of another status ends the matter; a body that nobody reads is thrown away. */
  async #ask(url: URL, message: Message, wanted: readonly number[]): Promise<IncomingMessage> {
    let answer = await this.#sendAs(url, message);
    // A stream was read by then, and is never sent twice: whoever uploads has asked before.
    const isWhole = message.body === undefined || message.body instanceof Uint8Array;
    if (answer.statusCode === 401 && isWhole && (await this.#enter(answer))) {
      answer.resume();
      answer = await this.#sendAs(url, message);
    }
    const status = answer.statusCode ?? 0;
    if (wanted.includes(status)) {
      if (message.method !== 'GET') answer.resume();
      return answer;
    }
    const words = `${url.host} answered ${status} to ${message.method} ${url.pathname}: ${await wordsOf(answer)}`;
    throw status === 429 || status >= 500 ? new Passing(words) : new Refused(status, words);
  }

  /** Answers the challenge once for each kind of request; false: there is nothing to answer it with. */
  async #enter(answer: IncomingMessage): Promise<boolean> {
    const header = answer.headers['www-authenticate'] ?? '';
    const authorization = await authorizationFor(this.#guard, header, this.#scope, this.#login);
    const isNew = authorization !== undefined && authorization !== this.#authorization;
    this.#authorization = authorization;
    return isNew;
  }

  /** Follows where it is sent; what opens the registry is for its own server alone. */
  async #sendAs(url: URL, message: Message): Promise<IncomingMessage> {
    let next = url;
    for (let redirects = 0; ; redirects += 1) {
      const isOwn = next.origin === new URL(this.#base).origin;
      const opening = isOwn && this.#authorization !== undefined ? { authorization: this.#authorization } : {};
      const answer = await send(this.#guard, next, { ...message, headers: { ...message.headers, ...opening } });
      const { location } = answer.headers;
      const follows = message.method === 'GET' && REDIRECTS.has(answer.statusCode ?? 0) && location !== undefined;
      if (!follows) return answer;
      answer.resume();
      if (redirects >= MOST_REDIRECTS) throw new Refused(310, `${url} leads from place to place`);
      next = new URL(location, next);
    }
  }
}

/** A manifest says itself what it is; the header stands in for old ones. */
function mediaTypeOf(bytes: Buffer, answer: IncomingMessage): string {
  try {
    const { mediaType } = JSON.parse(bytes.toString('utf8')) as { readonly mediaType?: unknown };
    if (typeof mediaType === 'string') return mediaType;
  } catch {
    throw new Refused(502, 'a manifest is no JSON');
  }
  return (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
}

const MOST_WORDS = 300;

async function wordsOf(answer: IncomingMessage): Promise<string> {
  const text = (await bytesOf(answer)).toString('utf8');
  try {
    const { errors } = JSON.parse(text) as { readonly errors?: readonly { code?: string; message?: string }[] };
    return (errors ?? [])
      .map(({ code, message }) => `${code} ${message}`)
      .join('; ')
      .slice(0, MOST_WORDS);
  } catch {
    return text.slice(0, MOST_WORDS);
  }
}
