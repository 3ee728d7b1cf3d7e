import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An access key that STS knows, with its owner. */
export interface Principal {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly arn: string;
  readonly userId: string;
}

/** STS on loopback: it answers GetCallerIdentity, and verifies the signature of each request. */
export interface Sts {
  readonly url: string;
  /** How many requests there were. */
  readonly requests: number;
  /** The error of every reply, if there is one. */
  fail(status: number | undefined, code?: string): void;
  close(): Promise<void>;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The signature of a presigned request as AWS describes it, in the words of its documentation. */
function signatureOf({ method, headers }: IncomingMessage, { pathname, searchParams }: URL, secret: string): string {
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const signed = searchParams.get('X-Amz-SignedHeaders') ?? '';
  const lines = signed.split(';').map((name) => `${name}:${headers[name] ?? ''}\n`);
  const canonical = [method, pathname, query, lines.join(''), signed, hashOf('')].join('\n');
  const [, ...scope] = (searchParams.get('X-Amz-Credential') ?? '').split('/');
  const text = ['AWS4-HMAC-SHA256', searchParams.get('X-Amz-Date'), scope.join('/'), hashOf(canonical)].join('\n');
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secret}`), text).toString('hex');
}

const errorText = (code: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>refused</Message></Error></ErrorResponse>`;

function replyTo(request: IncomingMessage, principals: readonly Principal[]): readonly [number, string] {
  const url = new URL(request.url ?? '', `http://${request.headers.host}`);
  const [id] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const known = principals.find(({ accessKeyId }) => accessKeyId === id);
  if (known === undefined) return [403, errorText('InvalidClientTokenId')];
  if ((url.searchParams.get('X-Amz-Security-Token') ?? undefined) !== known.sessionToken) {
    return [403, errorText('ExpiredToken')];
  }
  const signature = signatureOf(request, url, known.secretAccessKey);
  if (signature !== url.searchParams.get('X-Amz-Signature')) return [403, errorText('SignatureDoesNotMatch')];
  const account = known.arn.split(':')[4];
  const members = `<Arn>${known.arn}</Arn><UserId>${known.userId}</UserId><Account>${account}</Account>`;
  return [
    200,
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${members}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  ];
}

/** Starts STS with these access keys. */
export async function startSts(principals: readonly Principal[]): Promise<Sts> {
  let requests = 0;
  let failure: readonly [number, string] | undefined;
  const server = createServer((request, response) => {
    requests += 1;
    const [status, body] = failure ?? replyTo(request, principals);
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    fail: (status, code = '') => {
      failure = status === undefined ? undefined : [status, errorText(code)];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
