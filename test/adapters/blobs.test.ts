import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { s3Blobs } from '../../lib/adapters/aws/blobs.ts';
import { folderBlobs, memoryBlobs } from '../../lib/adapters/local/blobs.ts';
import { blobsContract } from '../contract/blobs.ts';
import { type AwsRequest, type AwsServer, type Reply, startAwsServer } from './aws/server.ts';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'weft-blobs-'));

describe('blobs in memory', () => blobsContract(async () => ({ blobs: memoryBlobs(), close: async () => {} })));

describe('blobs in a folder', () => {
  blobsContract(async () => {
    const folder = await newFolder();
    return { blobs: folderBlobs(folder), close: () => rm(folder, { recursive: true }) };
  });

  describe('on the disk', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await newFolder();
    });
    afterEach(() => rm(folder, { recursive: true }));

    test('are found again by the next process', async () => {
      await folderBlobs(folder).put('runs/1/input', new Uint8Array([1]));
      expect(await folderBlobs(folder).get('runs/1/input')).toEqual(new Uint8Array([1]));
    });

    test('no key leaves the folder', async () => {
      const inner = join(folder, 'inner');
      await folderBlobs(inner).put('../escaped', new Uint8Array([1]));
      await folderBlobs(inner).put('/etc/escaped', new Uint8Array([1]));
      expect(await readdir(folder)).toEqual(['inner']);
    });

    test('names differ by more than case, for file systems that do not care about it', async () => {
      const blobs = folderBlobs(folder);
      await blobs.put('Key', new Uint8Array([1]));
      await blobs.put('key', new Uint8Array([2]));
      const names = (await readdir(folder)).filter((name) => name.endsWith('.blob'));
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(2);
    });

    test('a removal leaves no empty folder behind, and no drafts are left', async () => {
      const blobs = folderBlobs(folder);
      await blobs.put('runs/1/a', new Uint8Array([1]));
      await blobs.remove('runs/1/');
      expect(await readdir(join(folder, 'runs'))).toEqual([]);
      expect(await readdir(join(folder, '.drafts'))).toEqual([]);
    });

    test('what a process that died had half written is swept up later, but not what another may be writing', async () => {
      await folderBlobs(folder).put('a', new Uint8Array([1]));
      const drafts = join(folder, '.drafts');
      await writeFile(join(drafts, 'old'), 'half');
      await utimes(join(drafts, 'old'), new Date(0), new Date(0));
      await writeFile(join(drafts, 'new'), 'half');
      await folderBlobs(folder).put('b', new Uint8Array([1]));
      expect(await readdir(drafts)).toEqual(['new']);
    });

    test('that cannot be read are an error and not absent', async () => {
      await writeFile(join(folder, 'file'), 'not a folder');
      await expect(folderBlobs(join(folder, 'file')).get('a')).rejects.toThrow('ENOTDIR');
    });
  });
});

const PAGE = 2;
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** As much of S3 as the adapter asks for, with very short pages. */
function bucketOf(objects: Map<string, Uint8Array>): (asked: AwsRequest) => Reply {
  const list = (query: URLSearchParams): Reply => {
    const from = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > from).sort();
    const contents = keys.slice(0, PAGE).map((key) => `<Contents><Key>${escapeXml(key)}</Key></Contents>`);
    const next =
      keys.length > PAGE ? `<NextContinuationToken>${escapeXml(keys[PAGE - 1] ?? '')}</NextContinuationToken>` : '';
    return { body: `<ListBucketResult>${contents.join('')}${next}</ListBucketResult>` };
  };
  const removeAll = (xml: string): Reply => {
    const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) => match[1] ?? '');
    const locked = keys.filter((key) => key.endsWith('locked'));
    for (const key of keys)
      if (!key.endsWith('locked')) objects.delete(key.replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    const errors = locked.map(
      (key) => `<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>no</Message></Error>`,
    );
    return { body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
  };
  return ({ method, path, query, bytes }) => {
    const key = path.slice('/bucket/'.length);
    if (query.has('list-type')) return list(query);
    if (query.has('delete')) return removeAll(Buffer.from(bytes).toString('utf8'));
    if (method === 'PUT') objects.set(key, bytes);
    const found = objects.get(key);
    if (found === undefined) return { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
    return { body: method === 'PUT' ? '' : found };
  };
}

async function openBucket(prefix: string): Promise<AwsServer & { client: S3Client; objects: Map<string, Uint8Array> }> {
  const objects = new Map([[`other/${prefix}`, new Uint8Array([1])]]);
  const server = await startAwsServer(bucketOf(objects));
  return { ...server, objects, client: new S3Client({ ...server.config, maxAttempts: 1 }) };
}

describe('blobs in a bucket', () => {
  blobsContract(async () => {
    const { client, close } = await openBucket('weft/');
    return { blobs: s3Blobs({ client, bucket: 'bucket', prefix: 'weft/' }), close };
  });

  test('stay behind their prefix', async () => {
    const { client, objects, close } = await openBucket('weft/');
    const blobs = s3Blobs({ client, bucket: 'bucket', prefix: 'weft/' });
    await blobs.put('a', new Uint8Array([1]));
    expect([...objects.keys()]).toEqual(['other/weft/', 'weft/a']);
    await blobs.remove('');
    expect([...objects.keys()]).toEqual(['other/weft/']);
    await close();
  });

  test('a removal goes through all pages, and tells of a blob that could not be removed', async () => {
    const { client, objects, close } = await openBucket('');
    const blobs = s3Blobs({ client, bucket: 'bucket' });
    for (const end of ['1', '2', '3', '4', '5']) await blobs.put(`a/${end}`, new Uint8Array([1]));
    await blobs.remove('a/');
    expect([...objects.keys()]).toEqual(['other/']);
    await blobs.put('b/locked', new Uint8Array([1]));
    await expect(blobs.remove('b/')).rejects.toThrow('b/locked was not removed: AccessDenied');
    await close();
  });

  test('an error that is not absence is thrown', async () => {
    const server = await startAwsServer(() => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
    const blobs = s3Blobs({ client: new S3Client(server.config), bucket: 'bucket' });
    await expect(blobs.get('a')).rejects.toThrow();
    await server.close();
  });
});
