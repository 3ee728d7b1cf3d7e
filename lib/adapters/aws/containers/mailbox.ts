import { randomUUID } from 'node:crypto';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** The bucket through which the service speaks to containers. */
export interface Post {
  readonly client: S3Client;
  readonly bucket: string;
}

const WORD = Buffer.from('cancelled');
/** No call on Lambda lasts longer, seconds. */
const VALID_SECONDS = 20 * 60;

/** A bucket's rule removes what lies there for a day (cdk/data/blobs.ts). */
const folderOf = (actionId: string): string => `calls/${actionId}/`;
/** Found by who cancels, who may be another process than the caller. */
const cancelKey = (actionId: string): string => `${folderOf(actionId)}cancel`;

/** Says to whoever works on the call that nobody waits for it any longer. */
export async function putCancellation({ client, bucket }: Post, actionId: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: cancelKey(actionId), Body: WORD }));
}

/**
 * Where the caller lays down what a container is to be told: objects with numbers, whose addresses let whoever has them
 * read that object alone. A call that is made again has another mailbox.
 */
export class Mailbox {
  readonly #post: Post;
  readonly #actionId: string;
  readonly #folder: string;
  readonly #kept = new Set<string>();

  constructor(post: Post, actionId: string) {
    this.#post = post;
    this.#actionId = actionId;
    this.#folder = `${folderOf(actionId)}${randomUUID()}/`;
  }

  async put(number: number, bytes: Uint8Array): Promise<void> {
    const Key = `${this.#folder}${number}`;
    this.#kept.add(Key);
    await this.#post.client.send(new PutObjectCommand({ Bucket: this.#post.bucket, Key, Body: bytes }));
  }

  /** Where a message is, or will be. */
  addressOf(number: number): Promise<string> {
    return this.#sign(`${this.#folder}${number}`);
  }

  cancelAddress(): Promise<string> {
    return this.#sign(cancelKey(this.#actionId));
  }

  /** Removes what was put; a cancellation too if there was one. */
  async empty(wasCancelled: boolean): Promise<void> {
    const keys = [...this.#kept, ...(wasCancelled ? [cancelKey(this.#actionId)] : [])];
    for (let at = 0; at < keys.length; at += MOST_KEYS) {
      const Objects = keys.slice(at, at + MOST_KEYS).map((Key) => ({ Key }));
      const Delete = { Objects, Quiet: true };
      await this.#post.client.send(new DeleteObjectsCommand({ Bucket: this.#post.bucket, Delete }));
    }
  }

  #sign(Key: string): Promise<string> {
    const { client, bucket: Bucket } = this.#post;
    return getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn: VALID_SECONDS });
  }
}

/** What one removal takes. */
const MOST_KEYS = 1_000;
