/** S3 on loopback, as far as the mailboxes of calls use it: objects that are put, read by signed addresses, removed. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { S3Client } from '@aws-sdk/client-s3';

export interface Bucket {
  readonly name: string;
  readonly client: S3Client;
  readonly objects: Map<string, Buffer>;
  /** `GET calls/1/cancel 404`, in order. */
  readonly asked: string[];
  /** Which objects were read, and by which connections. */
  readonly readings: { readonly key: string; readonly by: Socket }[];
  /** Statuses that come first, by what is asked: `PUT`. */
  readonly refusals: Record<string, number[]>;
  close(): Promise<void>;
}

const KEY = /<Key>([^<]+)<\/Key>/g;

const coded = (status: number): string => `<?xml version="1.0"?><Error><Code>E${status}</Code></Error>`;

export async function startBucket(): Promise<Bucket> {
  const name = 'weft-blobs';
  const objects = new Map<string, Buffer>();
  const asked: string[] = [];
  const readings: Bucket['readings'] = [];
  const refusals: Record<string, number[]> = {};
  const answers: Record<string, (key: string, body: Buffer, isSigned: boolean) => readonly [number, Buffer | string]> =
    {
      PUT: (key, body) => {
        objects.set(key, body);
        return [200, ''];
      },
      GET: (key, _body, isSigned) => {
        const found = objects.get(key);
        if (!isSigned) return [403, coded(403)];
        return found === undefined ? [404, coded(404)] : [200, found];
      },
      POST: (_key, body) => {
        for (const [, key = ''] of body.toString().matchAll(KEY)) objects.delete(key);
        return [200, '<?xml version="1.0"?><DeleteResult></DeleteResult>'];
      },
    };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const key = decodeURIComponent(url.pathname).slice(name.length + 2);
    const { method = '' } = request;
    const body = await buffer(request);
    const refused = refusals[method]?.shift();
    const isSigned = url.searchParams.has('X-Amz-Signature');
    const [status, told] =
      refused === undefined ? (answers[method]?.(key, body, isSigned) ?? [500, '']) : [refused, coded(refused)];
    asked.push(`${method} ${key} ${status}`);
    if (isSigned) readings.push({ key, by: request.socket });
    response.writeHead(status, { 'content-type': 'application/xml' }).end(told);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-test-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return {
    name,
    client,
    objects,
    asked,
    readings,
    refusals,
    close: () =>
      new Promise((resolve) => {
        client.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
