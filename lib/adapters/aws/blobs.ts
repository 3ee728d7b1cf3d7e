import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Blobs } from '../../ports/blobs.ts';

export interface S3BlobsOptions {
  readonly bucket: string;
  /** Stands before every key, as it is: `weft/`. */
  readonly prefix?: string;
  readonly client?: S3Client;
}

interface Bucket {
  readonly client: S3Client;
  readonly name: string;
}

/**
 * Blobs as objects of a bucket. Needs leave to get, put, delete and list: without the last S3 says of a missing
 * object that access is denied.
 */
export function s3Blobs({ bucket, prefix = '', client = new S3Client() }: S3BlobsOptions): Blobs {
  const place: Bucket = { client, name: bucket };
  return {
    async put(key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: bytes }));
    },
    get: (key) => readObject(place, prefix + key),
    remove: (start) => removeObjects(place, prefix + start),
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

/** A page of a listing holds no more keys than one removal takes: 1000. */
async function removeKeys({ client, name }: Bucket, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const objects = keys.map((key) => ({ Key: key }));
  const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects: objects, Quiet: true } });
  const [error] = (await client.send(command)).Errors ?? [];
  // A refusal of single objects comes in an answer of status 200.
  if (error !== undefined) throw new Error(`the blob ${error.Key} was not removed: ${error.Code} ${error.Message}`);
}
