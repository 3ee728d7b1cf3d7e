import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Sign } from '../../egress/exchange.ts';

type Bytes = string | ArrayBuffer | ArrayBufferView;

const toBytes = (data: Bytes): Uint8Array => {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
};

/** SHA-256 in the form that the signer expects: a hash, and with a secret an HMAC. */
class Sha256 {
  private readonly hash: { update(data: Uint8Array): unknown; digest(): Buffer };

  constructor(secret?: Bytes) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(data: Bytes): void {
    this.hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

/** The parts of a URL as the signer takes them. */
const placeOf = (url: URL) => ({
  protocol: url.protocol,
  hostname: url.hostname,
  ...(url.port === '' ? {} : { port: Number(url.port) }),
  path: url.pathname,
  query: Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)])),
});

/** Credentials of AWS. */
export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A GET request that is signed in advance. */
export interface Presigning {
  readonly service: string;
  readonly region: string;
  readonly credentials: SigningCredentials;
  readonly url: URL;
  /** Headers besides `host` that are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly expiresIn: number;
}

/** Returns the URL of a GET request, with its signature of AWS Signature Version 4 in the query. */
export async function presignForAws(presigning: Presigning): Promise<string> {
  const { service, region, credentials, url, headers, expiresIn } = presigning;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const identity = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const signer = new SignatureV4({ service, region, credentials: identity, sha256: Sha256 });
  const request = { method: 'GET', ...placeOf(url), headers: { ...headers, host: url.host } };
  const { query = {} } = await signer.presign(request, { expiresIn });
  const signed = new URL(url);
  for (const [name, value] of Object.entries(query)) signed.searchParams.set(name, String(value));
  return signed.href;
}

/** Signs a request with AWS Signature Version 4, by the signer of the AWS SDK. The credentials are those of the caller. */
export const signForAws: Sign = async (signing, { url, method, headers, body }) => {
  const { service, region, accessKeyId, secretAccessKey, sessionToken } = signing;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  // S3 alone signs the path as it is sent.
  const uriEscapePath = service !== 's3';
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath, applyChecksum: true });
  const signed = await signer.sign({
    method,
    ...placeOf(url),
    headers: { ...headers, host: url.host },
    ...(body === undefined ? {} : { body }),
  });
  return signed.headers;
};
