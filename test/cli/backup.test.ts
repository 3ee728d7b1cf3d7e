import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseBlobs } from '../../lib/adapters/local/blobs.ts';
import { RevisionsJournal } from '../../lib/adapters/local/containers/revisions-journal.ts';
import { openDataFolder } from '../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { databaseTable } from '../../lib/adapters/local/table/table.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import type { DataKey } from '../../lib/ports/sealer.ts';
import { auditOf } from '../durability/audit.ts';
import { rowsOf } from '../service/access/client.ts';
import { type ServiceProcess, startProcess } from '../service/access/process.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

let folder: string;
let data: string;
let file: string;
let workspace: Workspace;
const weft = (...args: string[]) => workspace.weft(args, { env: { WEFT_DATA: data } });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-backup-'));
  data = join(folder, 'data');
  file = join(folder, 'weft.backup');
  workspace = await openWorkspace();
});
afterEach(async () => {
  await workspace.clear();
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a running service', () => {
  const NAMESPACE = '/api/namespaces/kept';
  /** Waits, and counts the round in a variable: a round that is lost or repeated makes the two differ. */
  const WORKFLOW = `
states:
- id: look
  type: getter
  variables: [{key: count, scope: instance}]
  transform: 'jq({count: ((.var.count // 0) + 1), n: ((.n // 0) + 1)})'
  transition: write
- id: write
  type: setter
  variables: [{key: count, scope: instance, value: jq(.count), mimeType: application/json}]
  transition: pause
- id: pause
  type: delay
  duration: PT1S
  transition: again
- id: again
  type: switch
  conditions: [{condition: 'jq(.n < 4)', transition: look}]
`;
  const textOf = (n: number): string => `${n} ${String(n % 10).repeat(n % 3 === 0 ? 60_000 : 100)}`;
  let service: ServiceProcess;
  beforeEach(async () => {
    mkdirSync(data);
    service = await startProcess(data);
    await service.client.call('PUT', NAMESPACE);
    await service.client.call('PUT', `${NAMESPACE}/tree/w?op=create-workflow`, { body: WORKFLOW });
  });
  afterEach(() => service.end('SIGTERM'));

  /** Sets one variable after the other until it is stopped; returns how many are set at the moment, and the stop. */
  function writeOn() {
    let isStopped = false;
    let written = 0;
    const writing = (async () => {
      while (!isStopped) {
        const answer = await service.client.call('PUT', `${NAMESPACE}/vars/v-${written}`, { body: textOf(written) });
        expect(answer.status, answer.text).toBe(200);
        written += 1;
      }
    })();
    const stop = async () => {
      isStopped = true;
      await writing;
    };
    return { written: () => written, stop };
  }

  async function expectRunsToEnd(signal: AbortSignal, ids: readonly string[]): Promise<void> {
    for (;;) {
      const list = (await service.client.call('GET', `${NAMESPACE}/instances`)).json();
      const rows = rowsOf(list['instances']?.['results']);
      if (rows.every(({ status }) => String(status) === 'complete')) break;
      await setTimeout(100, undefined, { signal });
    }
    for (const id of ids) {
      const output = (await service.client.call('GET', `${NAMESPACE}/instances/${id}/output`)).json();
      expect(JSON.parse(Buffer.from(String(output['data']), 'base64').toString())).toEqual({ n: 4, count: 4 });
    }
  }

  test('is backed up under load; restored, it has all that was acknowledged before, and its runs continue', async ({
    signal,
  }) => {
    const starts = Array.from({ length: 5 }, () => service.client.call('POST', `${NAMESPACE}/tree/w?op=execute`));
    const ids = (await Promise.all(starts)).map((answer) => String(answer.json()['instance']));
    const load = writeOn();
    await setTimeout(500);
    const before = load.written();
    const child = await workspace.weft(['backup', file], { env: { WEFT_DATA: data } });
    expect(child).toMatchObject({ code: 0, err: '' });
    expect(child.out).toMatch(/: [\d.]+ [kM]?B with the database with all blobs, containers\/revisions\.db\n$/);
    await setTimeout(200);
    await load.stop();
    expect(load.written()).toBeGreaterThan(before);
    await service.end('SIGKILL');
    data = join(folder, 'restored');
    expect((await weft('restore', file)).out).toBe(`${data}: the database with all blobs, containers/revisions.db\n`);
    expect(auditOf(data)).toEqual([]);
    service = await startProcess(data);
    for (let n = 0; n < before; n += 1) {
      expect((await service.client.call('GET', `${NAMESPACE}/vars/v-${n}`)).text).toBe(textOf(n));
    }
    await expectRunsToEnd(signal, ids);
  });

  test('keeps its folder: nothing is restored into it', async () => {
    await weft('backup', file);
    expect(await weft('restore', file)).toMatchObject({
      code: 1,
      err: `weft: ${file} cannot be restored to ${data}: the data folder ${data} is in use by another Weft; stop that one, or choose another folder\n`,
    });
  });
});

describe('a folder without a service', () => {
  const BINDING = { purpose: 'test' };
  let dataKey: DataKey;
  let secret: Uint8Array;
  beforeEach(async () => {
    const { file: database, release } = openDataFolder(data);
    const open = new LocalDatabase({ file: database });
    await databaseTable(open).table.write([{ do: 'put', table: 'runs', item: { pk: 'run', sk: '.', value: 'kept' } }]);
    await databaseBlobs(open).put('a/blob', Buffer.from('large'));
    await localVault({ folder: data }).adminKey();
    const sealer = localSealer({ folder: data });
    dataKey = await sealer.newDataKey(BINDING);
    secret = await sealer.seal(dataKey, Buffer.from('hidden'), BINDING);
    mkdirSync(join(data, 'containers'));
    const journal = new RevisionsJournal(join(data, 'containers', 'revisions.db'));
    expect(modeOf(join(data, 'containers', 'revisions.db'))).toBe(0o600);
    const revision = { id: 'one', image: 'alpine', credentials: [] } as unknown as Parameters<
      typeof journal.put
    >[0]['revision'];
    journal.put({ revision, image: 'sha256:local' });
    journal.close();
    await open.close();
    release();
  });

  test('is one private file: tables, blobs, keys and container revisions', async () => {
    const made = await weft('backup', file, '--json');
    const files = ['api-key', 'root-key', 'containers/revisions.db'];
    expect(made.json()).toEqual({ folder: data, file, bytes: statSync(file).size, files });
    expect(modeOf(file)).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
    const restored = join(folder, 'restored');
    expect(await weft('restore', file, '--data', restored)).toMatchObject({ code: 0, err: '' });
    expect(
      [restored, ...files, 'weft.db'].map((name) => modeOf(join(name === restored ? '' : restored, name))),
    ).toEqual([0o700, ...[...files, 'weft.db'].map(() => 0o600)]);
    expect(readFileSync(join(restored, 'api-key'))).toEqual(readFileSync(join(data, 'api-key')));
    const opened = await localSealer({ folder: restored }).open(dataKey, secret, BINDING);
    expect(Buffer.from(opened).toString()).toBe('hidden');
    const journal = new RevisionsJournal(join(restored, 'containers', 'revisions.db'));
    expect(journal.all()).toEqual([{ revision: { id: 'one', image: 'alpine', credentials: [] }, image: undefined }]);
    journal.close();
    const database = new LocalDatabase({ file: join(restored, 'weft.db') });
    const [item] = await databaseTable(database).table.get([{ table: 'runs', pk: 'run', sk: '.' }]);
    expect(item?.['value']).toBe('kept');
    expect(Buffer.from((await databaseBlobs(database).get('a/blob')) ?? []).toString()).toBe('large');
    expect(database.statement("SELECT name FROM sqlite_schema WHERE name LIKE 'backup%'").all()).toEqual([]);
    expect(database.statement('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    await database.close();
  });

  const refusal = async (...args: string[]): Promise<string> => {
    const { code, err, out } = await weft(...args);
    expect([code, out]).toEqual([1, '']);
    return err;
  };

  test('is not backed up over a file, nor where nothing can be written', async () => {
    writeFileSync(file, 'mine');
    expect(await refusal('backup', file)).toBe(`weft: ${file} exists already; choose another name, or move it away\n`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    const nowhere = join(folder, 'missing', 'file');
    expect(await refusal('backup', nowhere)).toContain(`no backup of ${data} could be written to ${nowhere}: ENOENT`);
  });

  test('is not replaced by a restored one, and its keys are not either', async () => {
    await weft('backup', file);
    expect(await refusal('restore', file)).toContain(`${join(data, 'weft.db')} exists; restore into an empty folder`);
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'root-key'), 'another\n');
    expect(await refusal('restore', file, '--data', other)).toContain(
      'root-key is another key than that of the backup',
    );
    expect(existsSync(join(other, 'weft.db'))).toBe(false);
  });

  test('is verified without being restored', async () => {
    await weft('backup', file);
    const { code, out } = await weft('backup', '--verify', file);
    expect([code, out]).toEqual([
      0,
      `${file}: whole, with the database with all blobs, api-key, containers/revisions.db, root-key\n`,
    ]);
  });

  test.each([0.02, 0.2, 0.4, 0.6, 0.8, 0.97, 1])(
    'is not made from a backup with another byte at %d of it',
    async (part) => {
      await weft('backup', file);
      const bytes = readFileSync(file);
      const at = Math.min(Math.floor(bytes.length * part), bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      writeFileSync(file, bytes);
      const other = join(folder, 'other');
      expect(await refusal('backup', '--verify', file)).toContain(`${file} is no whole backup: `);
      expect(await refusal('restore', file, '--data', other)).toContain(`${file} cannot be restored to ${other}: `);
      expect(existsSync(join(other, 'weft.db'))).toBe(false);
    },
  );

  test('is not made from a backup that was cut', async () => {
    await weft('backup', file);
    truncateSync(file, statSync(file).size - 1);
    expect(await refusal('restore', file, '--data', join(folder, 'other'))).toContain('it is damaged or cut');
  });

  test('of a restore that did not end is not opened, until the restore is repeated', async () => {
    await weft('backup', file);
    const other = join(folder, 'other');
    mkdirSync(join(other, 'containers'), { recursive: true });
    for (const name of ['weft.db.part', 'root-key', 'containers/revisions.db', 'weft.db-mark']) {
      writeFileSync(join(other, name), 'half');
    }
    expect(() => openDataFolder(other)).toThrow('weft.db.part is of a restore that did not end: repeat it');
    expect(await weft('restore', file, '--data', other)).toMatchObject({ code: 0, err: '' });
    const isThere = ['weft.db', 'weft.db.part', 'weft.db-mark'].map((name) => existsSync(join(other, name)));
    expect(isThere).toEqual([true, false, false]);
    openDataFolder(other).release();
  });

  test('is not made from what is not a whole backup', async () => {
    const other = join(folder, 'other');
    const restored = () => refusal('restore', file, '--data', other);
    expect(await restored()).toContain(`${file} cannot be restored: there is no such file`);
    writeFileSync(
      file,
      'mine, and long enough to be taken for the header of a database, which has a hundred bytes in all'.repeat(9),
    );
    expect(await restored()).toContain('file is not a database');
    rmSync(file);
    new DatabaseSync(file).exec('CREATE TABLE mine (a)');
    expect(await restored()).toContain('it is not a backup that `weft backup` made');
    rmSync(file);
    await weft('backup', file);
    const backup = new DatabaseSync(file);
    backup.exec('PRAGMA user_version = 99');
    backup.close();
    expect(await restored()).toContain('it was written by a newer version of Weft');
    expect(existsSync(join(other, 'weft.db'))).toBe(false);
  });
});

test('a folder without a database, and tables elsewhere, are refused with the reason', async () => {
  expect((await weft('backup', file)).err).toBe(`weft: the data folder ${data} has no database\n`);
  const elsewhere = { env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' } };
  const { code, err } = await workspace.weft(['backup', file], elsewhere);
  expect([code, err]).toEqual([2, expect.stringContaining('the tables are in that database, and are backed up there')]);
});
