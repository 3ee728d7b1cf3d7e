import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { EgressGuard } from '../../egress/guard.ts';
import { TransientError } from '../errors.ts';
import { answerChallenge, type RegistryLogin } from './login.ts';
import { type RegistryRequest, readBody, sendToRegistry } from './transfer.ts';

/** A registry rejected a request for good: the login has no access, or the object does not exist. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A descriptor of the OCI image specification: a manifest refers to a configuration or a layer by it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
}

/** A manifest or an image index as the registry stores it. */
export interface ManifestDocument {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** The media types of an image manifest, of docker and of OCI. */
export const MANIFEST_TYPES = {
  docker: 'application/vnd.docker.distribution.manifest.v2+json',
  oci: 'application/vnd.oci.image.manifest.v1+json',
} as const;
/** The media types of an image index, which lists the manifests of an image by platform. */
export const INDEX_TYPES: ReadonlySet<string> = new Set([
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.index.v1+json',
]);
const ACCEPTED = [...Object.values(MANIFEST_TYPES), ...INDEX_TYPES].join(', ');

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_DETAILS_LENGTH = 300;

/** The digest of bytes: `sha256:` and 64 hexadecimal digits. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Which repository is used, and how. */
export interface RepositoryProps {
  readonly guard: EgressGuard;
  /** The URL of the registry, without a slash at the end. */
  readonly base: string;
  readonly name: string;
  /** Undefined: anonymous access. */
  readonly login: RegistryLogin | undefined;
  /** The access for which a token is requested. */
  readonly actions: 'pull' | 'pull,push';
}

/**
 * One repository of a registry that implements the OCI distribution specification. Every method throws RejectedError,
 * TransientError and UnreachableError.
 */
export class Repository {
  readonly #guard: EgressGuard;
  readonly #base: string;
  readonly #scope: string;
  readonly #login: RegistryLogin | undefined;
  #authorization: string | undefined;

  constructor({ guard, base, name, login, actions }: RepositoryProps) {
    this.#guard = guard;
    this.#base = `${base}/v2/${name}`;
    this.#scope = `repository:${name}:${actions}`;
    this.#login = login;
  }

  /** The manifest or index with that tag or digest, compared with its digest. */
  async manifest(reference: string): Promise<ManifestDocument> {
    const url = this.#url(`/manifests/${reference}`);
    const response = await this.#request(url, { method: 'GET', headers: { accept: ACCEPTED } }, [200]);
    const bytes = await readBody(response);
    const digest = digestOf(bytes);
    if (/^sha256:/.test(reference) && digest !== reference)
      throw new RejectedError(502, `${url} does not match its digest`);
    return { mediaType: mediaTypeOf(bytes, response), digest, bytes };
  }

  /** The response with a blob; the caller reads it and compares it with its digest. */
  async blob(digest: string): Promise<IncomingMessage> {
    return this.#request(this.#url(`/blobs/${digest}`), { method: 'GET' }, [200]);
  }

  /** The bytes of a small blob, compared with its digest. */
  async smallBlob(digest: string, maxBytes?: number): Promise<Buffer> {
    const bytes = await readBody(await this.blob(digest), maxBytes);
    if (digestOf(bytes) !== digest) throw new TransientError(`the received bytes do not match ${digest}`);
    return bytes;
  }

  /** Whether the repository has the blob. */
  async hasBlob(digest: string): Promise<boolean> {
    return this.#exists(`/blobs/${digest}`);
  }

  /** Whether the repository has a manifest with that tag or digest. */
  async hasManifest(reference: string): Promise<boolean> {
    return this.#exists(`/manifests/${reference}`);
  }

  /** Uploads a blob. The registry verifies the digest, which may be computed while the bytes are sent. */
  async addBlob(digest: string | (() => string), body: Uint8Array | Readable): Promise<void> {
    const started = await this.#request(
      this.#url('/blobs/uploads/'),
      { method: 'POST', body: new Uint8Array() },
      [202],
    );
    const sent = await this.#request(
      this.#uploadUrl(started),
      { method: 'PATCH', headers: { 'content-type': 'application/octet-stream' }, body },
      [202, 204],
    );
    const end = this.#uploadUrl(sent);
    end.searchParams.set('digest', typeof digest === 'string' ? digest : digest());
    await this.#request(end, { method: 'PUT', body: new Uint8Array() }, [201, 204]);
  }

  /** Stores a manifest under a tag or its digest. */
  async addManifest(reference: string, { mediaType, bytes }: ManifestDocument): Promise<void> {
    const request: RegistryRequest = { method: 'PUT', headers: { 'content-type': mediaType }, body: bytes };
    await this.#request(this.#url(`/manifests/${reference}`), request, [201]);
  }

  #url(path: string): URL {
    return new URL(this.#base + path);
  }

  async #exists(path: string): Promise<boolean> {
    const request: RegistryRequest = { method: 'HEAD', headers: { accept: ACCEPTED } };
    return (await this.#request(this.#url(path), request, [200, 404])).statusCode === 200;
  }

  /** The URL for the next request of an upload, which may be relative. */
  #uploadUrl(response: IncomingMessage): URL {
    return new URL(response.headers.location ?? '', this.#base);
  }

  /** A response with another status than the expected ones is an error. A body that no caller reads is discarded. */
  async #request(url: URL, request: RegistryRequest, expected: readonly number[]): Promise<IncomingMessage> {
    let response = await this.#follow(url, request);
    // A stream has been consumed and cannot be sent again; an upload begins with a request without one.
    const isRepeatable = request.body === undefined || request.body instanceof Uint8Array;
    if (response.statusCode === 401 && isRepeatable && (await this.#authenticate(response))) {
      response.resume();
      response = await this.#follow(url, request);
    }
    const status = response.statusCode ?? 0;
    if (expected.includes(status)) {
      if (request.method !== 'GET') response.resume();
      return response;
    }
    const details = await errorDetails(response);
    const message = `${url.host} answered ${status} to ${request.method} ${url.pathname}: ${details}`;
    throw status === 429 || status >= 500 ? new TransientError(message) : new RejectedError(status, message);
  }

  /** Answers the challenge of a response; false when there is no other answer than the one that was sent. */
  async #authenticate(response: IncomingMessage): Promise<boolean> {
    const header = response.headers['www-authenticate'] ?? '';
    const challenge = { guard: this.#guard, header, scope: this.#scope, login: this.#login };
    const authorization = await answerChallenge(challenge);
    const isNew = authorization !== undefined && authorization !== this.#authorization;
    this.#authorization = authorization;
    return isNew;
  }

  /** Sends a request and follows redirects. The authorization is sent to the registry's own origin only. */
  async #follow(url: URL, request: RegistryRequest): Promise<IncomingMessage> {
    let next = url;
    for (let redirects = 0; ; redirects += 1) {
      const isOwn = next.origin === new URL(this.#base).origin;
      const own = isOwn && this.#authorization !== undefined ? { authorization: this.#authorization } : {};
      const headers = { ...request.headers, ...own };
      const response = await sendToRegistry(this.#guard, next, { ...request, headers });
      const { location } = response.headers;
      const isRedirect = request.method === 'GET' && REDIRECTS.has(response.statusCode ?? 0) && location !== undefined;
      if (!isRedirect) return response;
      response.resume();
      if (redirects >= MAX_REDIRECTS) throw new RejectedError(310, `${url} leads from place to place`);
      next = new URL(location, next);
    }
  }
}

/** The media type in the manifest itself; for old manifests without one, that of the header. */
function mediaTypeOf(bytes: Buffer, response: IncomingMessage): string {
  try {
    const { mediaType } = JSON.parse(bytes.toString('utf8')) as { readonly mediaType?: unknown };
    if (typeof mediaType === 'string') return mediaType;
  } catch {
    throw new RejectedError(502, 'a manifest is no JSON');
  }
  return (response.headers['content-type'] ?? '').split(';')[0] ?? '';
}

async function errorDetails(response: IncomingMessage): Promise<string> {
  const text = (await readBody(response)).toString('utf8');
  try {
    const { errors } = JSON.parse(text) as { readonly errors?: readonly { code?: string; message?: string }[] };
    return (errors ?? [])
      .map(({ code, message }) => `${code} ${message}`)
      .join('; ')
      .slice(0, MAX_DETAILS_LENGTH);
  } catch {
    return text.slice(0, MAX_DETAILS_LENGTH);
  }
}
