import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { placeEntry } from '../../../lib/containers/sidecar/files.ts';

const FILES = pathToFileURL('lib/containers/sidecar/files.ts').href;
/** Another user than root, for whom permissions do not count. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

test('the directory of a call is removed also when the function has taken all permissions from it', () => {
  const root = mkdtempSync(join(tmpdir(), 'weft-closed-'));
  chmodSync(root, 0o777);
  const script = `
    const { mkdirSync, writeFileSync, chmodSync } = require('node:fs');
    mkdirSync('${root}/call/a/b', { recursive: true });
    writeFileSync('${root}/call/a/b/file', '1');
    for (const path of ['a/b', 'a', '.']) chmodSync('${root}/call/' + path, 0);
    import('${FILES}').then(({ removeFolder }) => removeFolder('${root}/call'));
  `;
  const { stderr, status } = spawnSync(process.execPath, ['-e', script], { ...unprivileged, encoding: 'utf8' });
  expect([status, stderr.replace(/.*ExperimentalWarning.*\n.*\n/, '')]).toEqual([0, '']);
  expect(existsSync(join(root, 'call'))).toBe(false);
  rmSync(root, { recursive: true });
});

test('an entry gets the mode that its action gives', () => {
  const root = mkdtempSync(join(tmpdir(), 'weft-modes-'));
  const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
  placeEntry(root, { path: 'a/run.sh', kind: 'file', isExecutable: false, mode: 0o751 }, Buffer.from('x'));
  placeEntry(root, { path: 'plain', kind: 'file', isExecutable: false }, Buffer.from('x'));
  placeEntry(root, { path: 'a', kind: 'directory', isExecutable: false, mode: 0o700 }, Buffer.alloc(0));
  expect(['a/run.sh', 'plain', 'a'].map(modeOf)).toEqual(['751', '666', '700']);
  rmSync(root, { recursive: true });
});
