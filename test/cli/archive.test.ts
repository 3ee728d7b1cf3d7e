import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemOfEntry } from '../../bin/cli/transfer/archive-layout.ts';
import fc from '../fast-check.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const HASH = createHash('sha256').update(NOOP).digest('hex');

const MANIFEST = { format: 'weft-namespace', version: 1, namespace: 'demo' };
const WORKFLOW = { path: 'wf', revisions: [{ hash: HASH }] };

type Entry = readonly [header: Partial<Header> & { name: string }, body?: string];

const file = (name: string, value: unknown): Entry => [
  { name },
  typeof value === 'string' ? value : JSON.stringify(value),
];

/** A complete archive, which tests modify. */
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

let workspace: Workspace;

beforeAll(async () => {
  workspace = await openWorkspace();
});

afterAll(() => workspace.clear());

const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('weft-import-')).sort();

/** The outcome of an import of these bytes, without a service. */
async function importOf(bytes: Buffer) {
  await writeFile(join(workspace.folder, 'a.tar.gz'), bytes);
  const place = ['--url', 'http://127.0.0.1:1', '--key', 'k'];
  const { code, err } = await workspace.weft(['import', 'a.tar.gz', '--yes', ...place]);
  return { code, err: err.trimEnd() };
}

describe('an archive', () => {
  test('that is complete is read before the first request to the service', async () => {
    expect(await importOf(await archiveOf(entriesOf()))).toMatchObject({ code: 3 });
  });

  test.each<readonly [string, Entry[0], string]>([
    ['a path outside of the folder', { name: '../evil.json' }, "'..' is not allowed in its path"],
    ['a later path outside of the folder', { name: 'tree/../../evil' }, "'..' is not allowed in its path"],
    ['an absolute path', { name: '/etc/evil' }, 'its path is absolute'],
    ['a symbolic link', { name: 'tree/link', type: 'symlink', linkname: '/etc/passwd' }, 'it is a symlink'],
    ['a hard link', { name: 'tree/link', type: 'link', linkname: '/etc/passwd' }, 'it is a link'],
    ['a device', { name: 'tree/null', type: 'character-device' }, 'it is a character-device'],
    ['a hidden file', { name: 'tree/.profile' }, "'.profile' is not allowed in its path"],
    ['a backslash', { name: 'tree\\..\\evil' }, "'tree\\..\\evil' is not allowed in its path"],
  ])('is rejected with %s in it, and no file remains', async (_, header, reason) => {
    const before = await leftovers();
    const archive = await archiveOf([...entriesOf(), [header, header.type === undefined ? 'evil' : '']]);
    const err = `weft: ${join(workspace.folder, 'a.tar.gz')}: the entry '${header.name}' is rejected: ${reason}`;
    expect(await importOf(archive)).toEqual({ code: 1, err });
    expect((await leftovers()).filter((name) => !before.includes(name))).toEqual([]);
    expect(await readdir(workspace.folder)).toEqual(['a.tar.gz']);
  });

  test.each([
    [
      'has no manifest, because it is incomplete',
      { 'manifest.json': undefined },
      'manifest.json is missing in the archive',
    ],
    [
      'has another format',
      { 'manifest.json': { ...MANIFEST, format: 'x' } },
      /^manifest\.json in the archive: format /,
    ],
    [
      'has a later version',
      { 'manifest.json': { ...MANIFEST, version: 2 } },
      'the archive has the format weft-namespace 2; import it with a later version of weft',
    ],
    ['contains invalid JSON', { 'namespace.json': '{' }, 'namespace.json in the archive is no JSON'],
    [
      'has a missing revision',
      { 'tree/wf/revisions/1.yaml': undefined },
      'tree/wf/revisions/1.yaml is missing in the archive',
    ],
    [
      'was changed',
      { 'tree/wf/revisions/1.yaml': `${NOOP} ` },
      'tree/wf/revisions/1.yaml in the archive differs from the exported file: its hash is another one',
    ],
    [
      'has a path outside of the tree',
      { 'tree/wf/_workflow.json': { ...WORKFLOW, path: '../wf' } },
      /^tree\/wf\/_workflow\.json in the archive: path is no valid path/,
    ],
    [
      'has a variable outside of its folder',
      { 'variables.json': { variables: [{ name: '../x', size: 1, hash: HASH }] } },
      /^variables\.json in the archive: variables\.0\.name is no valid name of a variable/,
    ],
    [
      'has a workflow without a revision',
      { 'tree/wf/_workflow.json': { ...WORKFLOW, revisions: [] } },
      /^tree\/wf\/_workflow\.json in the archive: revisions /,
    ],
  ])('is rejected when it %s', async (_, changed, message) => {
    const { code, err } = await importOf(await archiveOf(entriesOf(changed)));
    expect(code).toBe(1);
    expect(err.replace(/^weft: /, '')).toMatch(message);
  });

  test('is rejected when it unpacks to far more than its own size', async () => {
    const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const bytes = Buffer.concat(Array.from({ length: 17 }, () => zeros));
    const err = `weft: ${join(workspace.folder, 'a.tar.gz')}: the archive unpacks to more than ${1024 ** 3} bytes`;
    expect(await importOf(bytes)).toEqual({ code: 1, err });
  });

  test('is rejected when it is no archive or incomplete', async () => {
    const whole = await archiveOf(entriesOf());
    for (const bytes of [Buffer.from('no archive'), whole.subarray(0, whole.length - 30), Buffer.alloc(0)]) {
      const { code, err } = await importOf(bytes);
      expect(code).toBe(1);
      expect(err).toMatch(/^weft: .*a\.tar\.gz is no complete \.tar\.gz archive|^weft: manifest\.json is missing/);
    }
  });
});

test('no accepted name of an entry is outside of the folder', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', '/', 'a', '~', 'C:', 'tree', '\\'), fc.string());
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join('/');
      if (problemOfEntry(name, 'file') !== undefined) return;
      expect(join('/folder', name)).toMatch(/^\/folder\/./);
      expect(name).not.toMatch(/\\|\0|(^|\/)\.\.(\/|$)/);
    }),
  );
});

test('a service that closes the connection is reported as unreachable', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const ended = await workspace.weft(['namespaces', 'list', '--url', `http://127.0.0.1:${port}`]);
  server.close();
  expect(ended.code).toBe(3);
});
