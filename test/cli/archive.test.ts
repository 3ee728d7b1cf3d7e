import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusedEntry } from '../../bin/cli/transfer/layout.ts';
import { type Desk, openDesk } from './desk.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const HASH = createHash('sha256').update(NOOP).digest('hex');

const MANIFEST = { format: 'weft-namespace', version: 1, namespace: 'demo' };
const WORKFLOW = { path: 'wf', revisions: [{ hash: HASH }] };

type Entry = readonly [header: Partial<Header> & { name: string }, body?: string];

const file = (name: string, value: unknown): Entry => [
  { name },
  typeof value === 'string' ? value : JSON.stringify(value),
];

/** A whole archive, of which a test changes something. */
const entriesOf = (changed: Readonly<Record<string, unknown>> = {}): Entry[] =>
  Object.entries({
    'namespace.json': {},
    'variables.json': { variables: [] },
    'tree/_directory.json': { path: '' },
    'tree/wf/revisions/1.yaml': NOOP,
    'tree/wf/_workflow.json': WORKFLOW,
    'manifest.json': MANIFEST,
    ...changed,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => file(name, value));

async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, body] of entries) tar.entry(header, body ?? '');
  tar.finalize();
  return gzipSync(await buffer(tar));
}

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(() => desk.clear());

const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('weft-import-')).sort();

/** What an import of these bytes says; no service is there to be asked. */
async function importOf(bytes: Buffer) {
  await writeFile(join(desk.folder, 'a.tar.gz'), bytes);
  const place = ['--url', 'http://127.0.0.1:1', '--key', 'k'];
  const { code, err } = await desk.weft(['import', 'a.tar.gz', '--yes', ...place]);
  return { code, err: err.trimEnd() };
}

describe('an archive', () => {
  test('that is whole is read before the service is asked', async () => {
    expect(await importOf(await archiveOf(entriesOf()))).toMatchObject({ code: 3 });
  });

  test.each<readonly [string, Entry[0], string]>([
    ['a path that leads out', { name: '../evil.json' }, "'..' cannot be a part of its path"],
    ['a path that leads out later', { name: 'tree/../../evil' }, "'..' cannot be a part of its path"],
    ['an absolute path', { name: '/etc/evil' }, 'its path is absolute'],
    ['a symbolic link', { name: 'tree/link', type: 'symlink', linkname: '/etc/passwd' }, 'it is a symlink'],
    ['a hard link', { name: 'tree/link', type: 'link', linkname: '/etc/passwd' }, 'it is a link'],
    ['a device', { name: 'tree/null', type: 'character-device' }, 'it is a character-device'],
    ['a hidden file', { name: 'tree/.profile' }, "'.profile' cannot be a part of its path"],
    ['a backslash', { name: 'tree\\..\\evil' }, "'tree\\..\\evil' cannot be a part of its path"],
  ])('is refused with %s in it, and nothing is left behind', async (_, header, reason) => {
    const before = await leftovers();
    const archive = await archiveOf([...entriesOf(), [header, header.type === undefined ? 'evil' : '']]);
    const err = `weft: ${join(desk.folder, 'a.tar.gz')}: the entry '${header.name}' is refused: ${reason}`;
    expect(await importOf(archive)).toEqual({ code: 1, err });
    expect((await leftovers()).filter((name) => !before.includes(name))).toEqual([]);
    expect(await readdir(desk.folder)).toEqual(['a.tar.gz']);
  });

  test.each([
    [
      'has no manifest, because it is cut off',
      { 'manifest.json': undefined },
      'manifest.json is missing in the archive',
    ],
    [
      'is of another kind',
      { 'manifest.json': { ...MANIFEST, format: 'x' } },
      /^manifest\.json in the archive: format /,
    ],
    [
      'is of a later form',
      { 'manifest.json': { ...MANIFEST, version: 2 } },
      'the archive has the form weft-namespace 2, which a later version of weft reads',
    ],
    ['holds no JSON', { 'namespace.json': '{' }, 'namespace.json in the archive is no JSON'],
    [
      'lacks a revision',
      { 'tree/wf/revisions/1.yaml': undefined },
      'tree/wf/revisions/1.yaml is missing in the archive',
    ],
    [
      'was changed',
      { 'tree/wf/revisions/1.yaml': `${NOOP} ` },
      'tree/wf/revisions/1.yaml in the archive is not what was exported: its hash differs',
    ],
    [
      'names a path that leads out',
      { 'tree/wf/_workflow.json': { ...WORKFLOW, path: '../wf' } },
      /^tree\/wf\/_workflow\.json in the archive: path is no path of nodes/,
    ],
    [
      'names a variable that leads out',
      { 'variables.json': { variables: [{ name: '../x', size: 1, hash: HASH }] } },
      /^variables\.json in the archive: variables\.0\.name cannot name a variable/,
    ],
    [
      'has a workflow without a revision',
      { 'tree/wf/_workflow.json': { ...WORKFLOW, revisions: [] } },
      /^tree\/wf\/_workflow\.json in the archive: revisions /,
    ],
  ])('is refused when it %s', async (_, changed, message) => {
    const { code, err } = await importOf(await archiveOf(entriesOf(changed)));
    expect(code).toBe(1);
    expect(err.replace(/^weft: /, '')).toMatch(message);
  });

  test('is refused when it is no archive or not all of it', async () => {
    const whole = await archiveOf(entriesOf());
    for (const bytes of [Buffer.from('no archive'), whole.subarray(0, whole.length - 30), Buffer.alloc(0)]) {
      const { code, err } = await importOf(bytes);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^weft: .*a\.tar\.gz is no whole archive of the form \.tar\.gz|^weft: manifest\.json is missing/,
      );
    }
  });
});

test('no name of an entry leads out of the folder', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', '/', 'a', '~', 'C:', 'tree', '\\'), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join('/');
      if (refusedEntry(name, 'file') !== undefined) return;
      expect(join('/folder', name)).toMatch(/^\/folder\/./);
      expect(name).not.toMatch(/\\|\0|(^|\/)\.\.(\/|$)/);
    }),
  );
});

test('a service that hangs up while it is asked is told of as one that cannot be reached', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ended = await desk.weft(['namespaces', 'list', '--url', `http://127.0.0.1:${port}`]);
  server.close();
  expect(ended.code).toBe(3);
});
