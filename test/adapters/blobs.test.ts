import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { s3Blobs } from '../../lib/adapters/aws/blobs.ts';
import { databaseBlobs, memoryBlobs } from '../../lib/adapters/local/blobs.ts';
import { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import type { Blobs } from '../../lib/ports/blobs.ts';
import { blobsContract } from '../contract/blobs.ts';
import { type AwsRequest, type AwsServer, type Reply, startAwsServer } from './aws/server.ts';

describe('blobs in memory', () => blobsContract(async () => ({ blobs: memoryBlobs(), close: async () => {} })));

describe('blobs in a database', () => {
  blobsContract(async () => {
    const database = new LocalDatabase({ file: ':memory:' });
    return { blobs: databaseBlobs(database), close: () => database.close() };
  });

  describe('on disk', () => {
    let folder: string;
    let database: LocalDatabase;
    let blobs: Blobs;
    const open = () => {
      database = new LocalDatabase({ file: join(folder, 'data.db') });
      blobs = databaseBlobs(database);
    };
    const partsOf = () => database.statement('SELECT count(*) AS count FROM blob_parts').get()?.['count'];
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'weft-blobs-'));
      open();
    });
    afterEach(async () => {
      await database.close();
      await rm(folder, { recursive: true });
    });

    test('are found by the next process', async () => {
      await blobs.put('runs/1/input', new Uint8Array([1]));
      await database.close();
      open();
      expect(await blobs.get('runs/1/input')).toEqual(new Uint8Array([1]));
      await blobs.put('runs/2/input', new Uint8Array([2]));
      expect(await blobs.get('runs/1/input')).toEqual(new Uint8Array([1]));
    });

    test('of many megabytes are returned unchanged, and do not block the event loop', async () => {
      const bytes = randomBytes(20 * 1024 * 1024 + 1);
      let turns = 0;
      const counting = setInterval(() => {
        turns += 1;
      });
      await blobs.put('large', bytes);
      clearInterval(counting);
      expect(turns).toBeGreaterThan(5);
      expect(Buffer.compare((await blobs.get('large')) ?? new Uint8Array(), bytes)).toBe(0);
    });

    test('of many callers are written in turn, and a small one does not wait for them', async () => {
      let isDone = false;
      const all = Promise.all(Array.from({ length: 30 }, (_, n) => blobs.put(`large-${n}`, new Uint8Array(2_000_000))));
      const whole = all.then(() => {
        isDone = true;
      });
      const added: number[] = [];
      let small: number | undefined;
      void blobs.put('small', new Uint8Array([1])).then(() => {
        small = added.length;
      });
      for (let before = 0; !isDone; ) {
        await turn();
        added.push(Number(partsOf()) - before);
        before += added.at(-1) ?? 0;
      }
      await whole;
      expect(Math.max(...added)).toBeLessThanOrEqual(2 * 4 + 1);
      expect(small).toBeLessThan(added.length / 2);
    });

    test('leave no parts when they are replaced or removed', async () => {
      await blobs.put('a', new Uint8Array(3_000_000));
      await blobs.put('a', new Uint8Array([1]));
      expect(partsOf()).toBe(1);
      await blobs.remove('');
      expect(partsOf()).toBe(0);
    });

    test('that were partly written when a process died are deleted by the next one', async () => {
      await blobs.put('whole', new Uint8Array(3_000_000));
      const half = expect(blobs.put('half', new Uint8Array(30_000_000))).rejects.toThrow('closed');
      await turn();
      await database.close();
      await half;
      open();
      expect(partsOf()).toBe(12);
      expect(await blobs.get('half')).toBeUndefined();
    });
  });
});

const PAGE = 2;
/** The order in which S3 lists keys. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The part of S3 that the adapter uses, with very short pages. */
function bucketOf(objects: Map<string, Uint8Array>): (asked: AwsRequest) => Reply {
  const list = (query: URLSearchParams): Reply => {
    const from = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const [prefix, all] = [query.get('prefix') ?? '', [...objects.keys()].sort(byBytes)];
    const keys = all.filter((key) => key.startsWith(prefix) && byBytes(key, from) > 0);
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

  test('keep their prefix', async () => {
    const { client, objects, close } = await openBucket('weft/');
    const blobs = s3Blobs({ client, bucket: 'bucket', prefix: 'weft/' });
    await blobs.put('a', new Uint8Array([1]));
    expect([...objects.keys()]).toEqual(['other/weft/', 'weft/a']);
    await blobs.remove('');
    expect([...objects.keys()]).toEqual(['other/weft/']);
    await close();
  });

  test('a removal deletes all pages, and reports a blob that could not be removed', async () => {
    const { client, objects, close } = await openBucket('');
    const blobs = s3Blobs({ client, bucket: 'bucket' });
    for (const end of ['1', '2', '3', '4', '5']) await blobs.put(`a/${end}`, new Uint8Array([1]));
    await blobs.remove('a/');
    expect([...objects.keys()]).toEqual(['other/']);
    await blobs.put('b/locked', new Uint8Array([1]));
    await expect(blobs.remove('b/')).rejects.toThrow('b/locked was not removed: AccessDenied');
    await close();
  });

  test('an error other than absence is thrown', async () => {
    const server = await startAwsServer(() => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
    const blobs = s3Blobs({ client: new S3Client(server.config), bucket: 'bucket' });
    await expect(blobs.get('a')).rejects.toThrow();
    await server.close();
  });
});
