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

/** Signs a request with AWS Signature Version 4, by the signer of the AWS SDK. The credentials are those of the caller. */
export const signForAws: Sign = async (signing, { url, method, headers, body }) => {
  const { service, region, accessKeyId, secretAccessKey, sessionToken } = signing;
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  // S3 alone signs the path as it is sent.
  const uriEscapePath = service !== 's3';
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath, applyChecksum: true });
  const names = new Set(url.searchParams.keys());
  const query = Object.fromEntries([...names].map((name) => [name, url.searchParams.getAll(name)]));
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    path: url.pathname,
    query,
    headers: { ...headers, host: url.host },
    ...(body === undefined ? {} : { body }),
  });
  return signed.headers;
};
