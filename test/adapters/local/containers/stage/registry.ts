/** A container registry on loopback that asks for a user and a password, with one image. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { archiveOf } from './image.ts';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const CONFIG = 'application/vnd.docker.container.image.v1+json';
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar';

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export interface TestRegistry {
  /** `127.0.0.1:1234`. */
  readonly host: string;
  /** What came as authorization, decoded. */
  readonly logins: string[];
  close(): Promise<void>;
}

/** What an image is made of. */
export interface ServedImage {
  readonly layer: Buffer;
  readonly config: object;
}

async function smallImage(word: string): Promise<ServedImage> {
  return { layer: await archiveOf({ 'word.txt': word }), config: { Cmd: ['/word.txt'] } };
}

/**
 * The image is `private/image:1`, of one small file if none is given; `word` makes it another one than any other test's.
 */
export async function startRegistry(login: string, word: string, image?: ServedImage): Promise<TestRegistry> {
  const { layer, config: made } = image ?? (await smallImage(word));
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { ...made, Labels: { word } },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: part(CONFIG, config),
      layers: [part(LAYER, layer)],
    }),
  );
  const base = '/v2/private/image';
  const blobs: Record<string, { bytes: Buffer; type: string }> = {
    '/v2/': { bytes: Buffer.from('{}'), type: 'application/json' },
    [`${base}/manifests/1`]: { bytes: manifest, type: MANIFEST },
    [`${base}/manifests/${digestOf(manifest)}`]: { bytes: manifest, type: MANIFEST },
    [`${base}/blobs/${digestOf(config)}`]: { bytes: config, type: 'application/octet-stream' },
    [`${base}/blobs/${digestOf(layer)}`]: { bytes: layer, type: 'application/octet-stream' },
  };
  const logins: string[] = [];
  const server = createServer((request, response) => {
    const given = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    // An engine without a login says so with an empty one.
    if (given !== '' && given !== ':') logins.push(given);
    if (given !== login) {
      const errors = JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] });
      response
        .writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"', 'Content-Type': 'application/json' })
        .end(errors);
      return;
    }
    const found = blobs[request.url ?? ''];
    if (found === undefined) {
      const errors = JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] });
      response.writeHead(404, { 'Content-Type': 'application/json' }).end(errors);
      return;
    }
    const head = {
      'Content-Type': found.type,
      'Docker-Content-Digest': digestOf(found.bytes),
      'Content-Length': found.bytes.length,
    };
    response.writeHead(200, head).end(request.method === 'HEAD' ? undefined : found.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    logins,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
