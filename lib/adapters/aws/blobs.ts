import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Blobs } from '../../ports/blobs.ts';

/** Where blobs are stored. */
export interface S3BlobsOptions {
  readonly bucket: string;
  /** The prefix of every key: `weft/`. */
  readonly prefix?: string;
  readonly client?: S3Client;
}

interface Bucket {
  readonly client: S3Client;
  readonly name: string;
}

/**
 * Blobs as objects of a bucket. It needs permission to get, put, delete and list objects: without the last, S3 answers
 * AccessDenied for an object that does not exist.
 */
export function s3Blobs({ bucket, prefix = '', client = new S3Client() }: S3BlobsOptions): Blobs {
  const location: Bucket = { client, name: bucket };
  return {
    async put(key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: bytes }));
    },
    get: (key) => readObject(location, prefix + key),
    remove: (start) => removeObjects(location, prefix + start),
    async delete(keys) {
      for (let from = 0; from < keys.length; from += MAX_DELETED) {
        const some = keys.slice(from, from + MAX_DELETED).map((key) => prefix + key);
        await removeKeys(location, some);
      }
    },
    async list(start, after) {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix + start,
        ...(after === undefined ? {} : { StartAfter: prefix + after }),
      });
      const { Contents = [] } = await client.send(command);
      return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(prefix.length)]));
    },
  };
}

async function readObject({ client, name }: Bucket, key: string): Promise<Uint8Array | undefined> {
  try {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
    return body === undefined ? new Uint8Array() : await body.transformToByteArray();
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

async function removeObjects(bucket: Bucket, start: string): Promise<void> {
  let next: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: start,
      ...(next === undefined ? {} : { ContinuationToken: next }),
    });
    const page = await bucket.client.send(command);
    await removeKeys(
      bucket,
      (page.Contents ?? []).flatMap((object) => object.Key ?? []),
    );
    next = page.NextContinuationToken;
  } while (next !== undefined);
}

/** The maximum number of keys of one DeleteObjects request, and of a page of a listing. */
const MAX_DELETED = 1000;

async function removeKeys({ client, name }: Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const objects = keys.map((key) => ({ Key: key }));
  const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects: objects, Quiet: true } });
  const [error] = (await client.send(command)).Errors ?? [];
  // A response with status 200 may contain errors of single objects.
  if (error !== undefined) throw new Error(`the blob ${error.Key} was not removed: ${error.Code} ${error.Message}`);
}
