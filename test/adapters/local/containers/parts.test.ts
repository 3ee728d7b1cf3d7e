import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { PodOutput } from '../../../../lib/adapters/local/containers/pod-output.ts';
import { credentialsFor, qualifiedName, registryHostOf } from '../../../../lib/containers/oci/image-names.ts';
import { packDirectory, toEntries } from '../../../../lib/containers/session/archives.ts';
import { FrameReader, frameOf, writeFrame } from '../../../../lib/containers/sidecar/frames.ts';
import { archiveOf } from '../../../containers/fixtures/archive.ts';

const ZEROS = gzipSync(Buffer.alloc(16 * 1024 * 1024));

async function archiveWith(name: string, type: 'symlink' | 'link' | 'fifo', linkname = '/etc/passwd'): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name, type, linkname });
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** 528 MiB of nothing, in parts that gzip reads as one. */
const LARGE = Buffer.concat(Array.from({ length: 33 }, () => ZEROS));

describe('a file for a container', () => {
  test.each(['../up', '/etc/passwd', 'a//b', '', '.', 'a/../../b', 'a\0b'])(
    'is refused for the name %j',
    async (name) => {
      const file = { name, type: 'plain', bytes: Buffer.from('x') } as const;
      await expect(toEntries(file)).rejects.toThrow(/no path below its directory/);
    },
  );

  test.each(['../up', '/etc/passwd', 'a/../../../b', './../b'])(
    'is refused for the path %j in its archive',
    async (path) => {
      const bytes = await archiveOf({ [path]: 'x' });
      await expect(toEntries({ name: 'pack', type: 'tar', bytes })).rejects.toThrow(/no path below its directory/);
    },
  );

  test.each(['symlink', 'link', 'fifo'] as const)('is refused when its archive holds a %s', async (type) => {
    const bytes = gzipSync(await archiveWith('inner', type));
    await expect(toEntries({ name: 'pack', type: 'tar.gz', bytes })).rejects.toThrow(
      `the archive 'pack' holds a ${type}, 'inner'; only files and directories may be in it`,
    );
  });

  test.each([
    ['base64', 'äö', /is not base64/],
    ['tar.gz', 'no gzip', /is not gzip/],
    ['tar', 'x'.repeat(2000), /is not a tar archive/],
    ['tar.gz', LARGE, /unpacks to more than 512 MiB/],
  ] as const)('is refused when it is not the %s that it should be', async (type, content, words) => {
    await expect(toEntries({ name: 'pack', type, bytes: Buffer.from(content) })).rejects.toThrow(words);
  });

  test('comes out of an archive as it went in', async () => {
    const entries = [
      { path: 'folder', kind: 'directory', isExecutable: false, bytes: Buffer.alloc(0) },
      { path: 'folder/run.sh', kind: 'file', isExecutable: true, bytes: Buffer.from('#!') },
      { path: 'empty', kind: 'file', isExecutable: false, bytes: Buffer.alloc(0) },
    ] as const;
    const [root, ...others] = await toEntries({ name: 'pack', type: 'tar.gz', bytes: await packDirectory(entries) });
    expect(root).toMatchObject({ path: 'pack', kind: 'directory' });
    expect(others).toEqual(entries.map((entry) => ({ ...entry, path: `pack/${entry.path}` })));
  });
});

describe('the name of an image', () => {
  test.each([
    ['node', 'docker.io/library/node'],
    ['direktiv/request:v4', 'docker.io/direktiv/request:v4'],
    ['index.docker.io/direktiv/request', 'docker.io/direktiv/request'],
    ['localhost/mine', 'localhost/mine'],
    ['GHCR.io/a/b@sha256:0', 'ghcr.io/a/b@sha256:0'],
    ['127.0.0.1:5000/a', '127.0.0.1:5000/a'],
  ])('%s is meant as %s', (image, meant) => {
    expect(qualifiedName(image)).toBe(meant);
    expect(registryHostOf(image)).toBe(meant.split('/')[0]);
  });

  test('decides which credentials are shown to its registry', () => {
    const urls = [
      'https://docker.io',
      'https://index.docker.io/v1/',
      'docker.io/direktiv',
      'https://docker.io/dire',
      'https://docker.io.example.com',
      'http://ghcr.io',
    ];
    const all = urls.map((url) => ({ url, user: 'ada', token: 'x' }));
    expect(credentialsFor('direktiv/request', all).map(({ url }) => url)).toEqual(urls.slice(0, 3));
    expect(credentialsFor('ghcr.io/a/b', all).map(({ url }) => url)).toEqual(['http://ghcr.io']);
  });
});

describe('the output of a pod', () => {
  test('is read on from where the last reading ended, in whole characters', () => {
    const output = new PodOutput();
    const bytes = Buffer.from('Grüße €🙂');
    const texts: string[] = [];
    let from = 0;
    for (const byte of bytes) {
      output.add(Buffer.of(byte));
      const { text, end } = output.read(from);
      texts.push(text);
      from = end;
    }
    expect(texts.filter((text) => text !== '')).toEqual([...'Grüße €🙂']);
    expect(from).toBe(bytes.length);
  });

  test('keeps the newest mebibyte', () => {
    const output = new PodOutput();
    for (let index = 0; index < 40; index += 1) output.add(Buffer.alloc(100_000, index % 2 ? 'b' : 'a'));
    const { text, end } = output.read(0);
    expect(end).toBe(4_000_000);
    expect(text.length).toBeGreaterThanOrEqual(1024 * 1024);
    expect(text.length).toBeLessThan(1024 * 1024 + 100_000);
    expect(output.read(end).text).toBe('');
    expect(output.read(end + 5)).toEqual({ text: '', end });
  });
});

test('frames are put together from whatever pieces they arrive in', async () => {
  const pieces: Buffer[] = [];
  const sink = { write: (chunk: Buffer) => pieces.push(Buffer.from(chunk)) > 0 };
  const frames = [
    { head: { say: 'ä' }, body: Buffer.from('one') },
    { head: {}, body: Buffer.alloc(0) },
    { head: { n: 3 }, body: Buffer.alloc(70_000, 7) },
  ];
  for (const { head, body } of frames) writeFrame(sink as never, head, body);
  const all = Buffer.concat(pieces);
  for (const size of [1, 7, 1000, all.length]) {
    const reader = new FrameReader<object>();
    const read = [];
    for (let at = 0; at < all.length; at += size) read.push(...reader.push(all.subarray(at, at + size)));
    expect(read.map(({ head, body }) => [head, body.equals(Buffer.alloc(0)) ? 0 : body.length])).toEqual([
      [{ say: 'ä' }, 3],
      [{}, 0],
      [{ n: 3 }, 70_000],
    ]);
  }
});

test('frames of one piece are read where they are, however many there are', () => {
  const piece = Buffer.concat([1, 2, 3].map((n) => frameOf({ n }, Buffer.alloc(10_000, n))));
  const frames = new FrameReader<object>().push(piece);
  expect(frames.map(({ body }) => body.buffer === piece.buffer)).toEqual([true, true, true]);
});
