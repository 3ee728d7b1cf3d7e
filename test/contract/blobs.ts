import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Blobs } from '../../lib/ports/blobs.ts';

export interface OpenedBlobs {
  readonly blobs: Blobs;
  close(): Promise<void>;
}

let places = 0;
/** A new prefix for each test, so that all tests share one store. */
const fresh = (): string => `place-${++places}`;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function put(blobs: Blobs, keys: readonly string[]): Promise<void> {
  for (const key of keys) await blobs.put(key, bytesOf(key));
}

async function kept(blobs: Blobs, keys: readonly string[]): Promise<string[]> {
  const found = await Promise.all(keys.map((key) => blobs.get(key)));
  return keys.filter((_, index) => found[index] !== undefined);
}

/** The contract of the port `Blobs`. */
export function blobsContract(open: () => Promise<OpenedBlobs>): void {
  let opened: OpenedBlobs;
  const blobs = (): Blobs => opened.blobs;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  keepingLaws(blobs);
  keyLaws(blobs);
  removalLaws(blobs);
}

function keepingLaws(blobs: () => Blobs): void {
  test('a blob that was never put is undefined', async () => {
    expect(await blobs().get(`${fresh()}/a`)).toBeUndefined();
  });

  test.each([
    ['every byte', Uint8Array.from({ length: 256 }, (_, index) => index)],
    ['nothing', new Uint8Array()],
    ['a megabyte', new Uint8Array(1 << 20).fill(7)],
    ['part of a larger buffer', bytesOf('0123456789').subarray(3, 6)],
  ])('%s is returned as it was put', async (_name, bytes) => {
    const key = `${fresh()}/a`;
    await blobs().put(key, bytes);
    const found = await blobs().get(key);
    expect(found).toBeInstanceOf(Uint8Array);
    expect(Buffer.compare(found ?? bytesOf('not there'), bytes)).toBe(0);
  });

  test('a later put replaces an earlier one', async () => {
    const key = `${fresh()}/a`;
    await blobs().put(key, bytesOf('a longer first text'));
    await blobs().put(key, bytesOf('second'));
    expect(await blobs().get(key)).toEqual(bytesOf('second'));
  });

  test('changes of the bytes after a put or a get do not change the blob', async () => {
    const key = `${fresh()}/a`;
    const bytes = bytesOf('kept');
    await blobs().put(key, bytes);
    bytes.fill(0);
    (await blobs().get(key))?.fill(0);
    expect(await blobs().get(key)).toEqual(bytesOf('kept'));
  });

  test('concurrent puts leave the whole blob of one of them', async () => {
    const key = `${fresh()}/a`;
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(100_000 + index));
    await Promise.all(texts.map((text) => blobs().put(key, bytesOf(text))));
    expect(texts).toContain(new TextDecoder().decode(await blobs().get(key)));
  });
}

function keyLaws(blobs: () => Blobs): void {
  test('keys can have any characters', async () => {
    const place = fresh();
    const ends = [
      'a',
      'A',
      'ä',
      'a.blob',
      'a b',
      'a%20b',
      'a%',
      '..',
      '.',
      'a\\b',
      'a:b',
      '\u{1F600}',
      'CON',
      '~',
      '*',
    ];
    const keys = ends.map((end) => `${place}/${end}`);
    await put(blobs(), keys);
    const found = await Promise.all(keys.map((key) => blobs().get(key)));
    expect(found.map((bytes) => new TextDecoder().decode(bytes))).toEqual(keys);
  });

  test('a key can be a prefix of another one', async () => {
    const place = fresh();
    const keys = [`${place}/a`, `${place}/a/b`, `${place}/a/b/c`];
    await put(blobs(), keys);
    expect(await kept(blobs(), keys)).toEqual(keys);
  });
}

function removalLaws(blobs: () => Blobs): void {
  const ENDS = ['a', 'a/b', 'ab', 'ab/c/d', 'b', 'A'];
  test.each([
    ['a', ['b', 'A']],
    ['a/', ['a', 'ab', 'ab/c/d', 'b', 'A']],
    ['ab/c/d', ['a', 'a/b', 'ab', 'b', 'A']],
    ['ab/c', ['a', 'a/b', 'ab', 'b', 'A']],
    ['', []],
    ['x', ENDS],
    ['a/b/c', ENDS],
  ])('a removal of %j removes the keys with this prefix only', async (prefix, left) => {
    const place = fresh();
    const keys = ENDS.map((end) => `${place}/${end}`);
    await put(blobs(), keys);
    await blobs().remove(`${place}/${prefix}`);
    expect(await kept(blobs(), keys)).toEqual(left.map((end) => `${place}/${end}`));
  });

  test('a removed blob can be put again', async () => {
    const key = `${fresh()}/a/b`;
    await put(blobs(), [key]);
    await blobs().remove(key);
    await put(blobs(), [key]);
    expect(await blobs().get(key)).toEqual(bytesOf(key));
  });

  test('a deletion removes these keys only', async () => {
    const place = fresh();
    const keys = ENDS.map((end) => `${place}/${end}`);
    await put(blobs(), keys);
    await blobs().delete([`${place}/a`, `${place}/ab/c/d`, `${place}/none`]);
    expect(await kept(blobs(), keys)).toEqual([`${place}/a/b`, `${place}/ab`, `${place}/b`, `${place}/A`]);
    await blobs().delete([]);
  });

  test('a list has the keys with a prefix after a key, in the order of their bytes', async () => {
    const place = fresh();
    const keys = ['A', 'a', 'a/b', 'ab', 'b', 'ü', '\u{FFFD}', '\u{1F600}'].map((end) => `${place}/${end}`);
    await put(blobs(), keys.toReversed());
    /** A page may be short, but it is empty only at the end. */
    const listAll = async (prefix: string, after?: string): Promise<string[]> => {
      const all: string[] = [];
      while (all.length <= keys.length) {
        const page = await blobs().list(prefix, all.at(-1) ?? after);
        if (page.length === 0) return all;
        all.push(...page);
      }
      return all;
    };
    expect(await listAll(`${place}/`)).toEqual(keys);
    expect(await listAll(`${place}/`, `${place}/a/b`)).toEqual(keys.slice(3));
    expect(await listAll(`${place}/a`)).toEqual(keys.slice(1, 4));
    expect(await blobs().list(`${place}/`, `${place}/\u{1F600}`)).toEqual([]);
  });

  test('puts succeed during removals of neighbouring keys', async () => {
    const place = fresh();
    const keys = Array.from({ length: 20 }, (_, index) => `${place}/new/${index}`);
    const puts = keys.map((key) => put(blobs(), [key]));
    await Promise.all([...puts, ...keys.map((_, index) => blobs().remove(`${place}/new/old-${index}`))]);
    expect(await kept(blobs(), keys)).toEqual(keys);
  });
}
