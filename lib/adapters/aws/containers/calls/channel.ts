import { randomUUID } from 'node:crypto';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** The bucket in which channels are. */
export interface ChannelStore {
  readonly client: S3Client;
  readonly bucket: string;
}

const CANCELLED = Buffer.from('cancelled');
/** No call on Lambda lasts longer, seconds. */
const VALID_SECONDS = 20 * 60;
/** The most keys of one DeleteObjects request. */
const MAX_KEYS = 1_000;

/** A lifecycle rule of the bucket removes objects below this prefix after a day (cdk/data/blobs.ts). */
const prefixOf = (actionId: string): string => `calls/${actionId}/`;
/** Known to every process, because another process than the caller may cancel. */
const cancelKeyOf = (actionId: string): string => `${prefixOf(actionId)}cancel`;

/** Signals to the sidecar of a call, whichever process started it, that the call is cancelled. */
export async function putCancellation({ client, bucket }: ChannelStore, actionId: string): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: cancelKeyOf(actionId), Body: CANCELLED }));
}

/**
 * The channel from the service to the sidecar of one call: numbered objects of a bucket. The sidecar reads them by
 * signed URLs, each of which is for one object. A repeated call has a channel of its own.
 */
export class Channel {
  readonly #store: ChannelStore;
  readonly #actionId: string;
  readonly #prefix: string;
  readonly #stored = new Set<string>();

  constructor(store: ChannelStore, actionId: string) {
    this.#store = store;
    this.#actionId = actionId;
    this.#prefix = `${prefixOf(actionId)}${randomUUID()}/`;
  }

  /** Stores an object. */
  async put(number: number, bytes: Uint8Array): Promise<void> {
    const Key = `${this.#prefix}${number}`;
    this.#stored.add(Key);
    await this.#store.client.send(new PutObjectCommand({ Bucket: this.#store.bucket, Key, Body: bytes }));
  }

  /** The URL of an object, which need not exist yet. */
  urlOf(number: number): Promise<string> {
    return this.#sign(`${this.#prefix}${number}`);
  }

  /** The URL of the object that signals the cancellation of the call. */
  cancelUrl(): Promise<string> {
    return this.#sign(cancelKeyOf(this.#actionId));
  }

  /** Removes the stored objects, and the cancellation if there was one. */
  async removeObjects(wasCancelled: boolean): Promise<void> {
    const keys = [...this.#stored, ...(wasCancelled ? [cancelKeyOf(this.#actionId)] : [])];
    for (let at = 0; at < keys.length; at += MAX_KEYS) {
      const Objects = keys.slice(at, at + MAX_KEYS).map((Key) => ({ Key }));
      const Delete = { Objects, Quiet: true };
      await this.#store.client.send(new DeleteObjectsCommand({ Bucket: this.#store.bucket, Delete }));
    }
  }

  #sign(Key: string): Promise<string> {
    const { client, bucket: Bucket } = this.#store;
    return getSignedUrl(client, new GetObjectCommand({ Bucket, Key }), { expiresIn: VALID_SECONDS });
  }
}
