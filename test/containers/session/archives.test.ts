import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { packDirectory, toEntries } from '../../../lib/containers/session/archives.ts';
import { archiveOf } from '../fixtures/archive.ts';

const ZEROS = gzipSync(Buffer.alloc(16 * 1024 * 1024));

async function archiveWith(name: string, type: 'symlink' | 'link' | 'fifo', linkname = '/etc/passwd'): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name, type, linkname });
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** 528 MiB of zeros as several gzip members, which unpack to one file. */
const LARGE = Buffer.concat(Array.from({ length: 33 }, () => ZEROS));

describe('a file for a container', () => {
  test.each(['../up', '/etc/passwd', 'a//b', '', '.', 'a/../../b', 'a\0b'])(
    'is rejected with the name %j',
    async (name) => {
      const file = { name, type: 'plain', bytes: Buffer.from('x') } as const;
      await expect(toEntries(file)).rejects.toThrow(/no path below its directory/);
    },
  );

  test.each(['../up', '/etc/passwd', 'a/../../../b', './../b'])(
    'is rejected with the path %j in its archive',
    async (path) => {
      const bytes = await archiveOf({ [path]: 'x' });
      await expect(toEntries({ name: 'pack', type: 'tar', bytes })).rejects.toThrow(/no path below its directory/);
    },
  );

  test.each(['symlink', 'link', 'fifo'] as const)('is rejected when its archive has a %s', async (type) => {
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
  ] as const)('is rejected when it is no valid %s', async (type, content, message) => {
    await expect(toEntries({ name: 'pack', type, bytes: Buffer.from(content) })).rejects.toThrow(message);
  });

  test('gets the mode of its action; a directory after its content', async () => {
    const bytes = Buffer.from('x');
    expect(await toEntries({ name: 'run.sh', type: 'plain', bytes, mode: 0o750 })).toEqual([
      { path: 'run.sh', kind: 'file', isExecutable: false, bytes, mode: 0o750 },
    ]);
    const archive = await archiveOf({ inner: 'x' });
    const entries = await toEntries({ name: 'pack', type: 'tar', bytes: archive, mode: 0o500 });
    expect(entries.map(({ path, mode }) => [path, mode])).toEqual([
      ['pack', undefined],
      ['pack/inner', undefined],
      ['pack', 0o500],
    ]);
  });

  test('is unpacked from an archive as it was packed', async () => {
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
