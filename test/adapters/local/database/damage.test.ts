import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sync } from '../../../../lib/adapters/local/database/commits.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';

let folder: string;
let file: string;
const lost: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-damage-'));
  file = join(folder, 'weft.db');
  lost.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(sync: Sync = 'full'): LocalDatabase {
  return new LocalDatabase({ file, sync, onLost: (reason) => lost.push(reason) });
}

/** Writes a row, and resolves when it is durable. */
async function add(database: LocalDatabase, text: string): Promise<void> {
  const insert = database.statement('INSERT INTO rows VALUES (?)');
  database.write(() => insert.run(text));
  await database.durable();
}

async function withRows(count: number): Promise<void> {
  const database = open();
  database.define('CREATE TABLE rows (text TEXT) STRICT');
  for (let n = 0; n < count; n += 1) await add(database, 'x'.repeat(3000));
  await database.close();
}

describe('the folder of a database that is in use', () => {
  test.each<Sync>(['full', 'normal'])(
    'is missed with the next commit when it is removed, with sync %s',
    async (sync) => {
      await withRows(1);
      const database = open(sync);
      await add(database, 'kept');
      rmSync(folder, { recursive: true });
      await expect(add(database, 'lost')).rejects.toThrow('weft.db was removed while it was in use');
      expect(lost).toEqual([expect.stringMatching(/removed while it was in use\. Put its folder back from a backup/)]);
    },
  );
});

describe('a damaged file', () => {
  const damage = /weft\.db is damaged \(.*\)\. It stays as it is; restore a backup/;

  test('is named when its rows are read, and not called a disk that may be written later', async () => {
    await withRows(40);
    const descriptor = openSync(file, 'r+');
    for (let page = 3; page < 12; page += 1) writeSync(descriptor, Buffer.alloc(200, 0xff), 0, 200, page * 4096);
    closeSync(descriptor);
    const database = open();
    const read = database.statement('SELECT sum(length(text)) AS sum FROM rows');
    expect(() => read.get()).toThrow('malformed');
    expect(lost).toEqual([expect.stringMatching(damage)]);
    expect(database.outage).toBeUndefined();
  });

  test('that is no database is not opened, and stays as it is', () => {
    writeFileSync(file, 'something else, which is longer than the head of a database'.repeat(20));
    const before = readFileSync(file);
    expect(() => open()).toThrow(damage);
    expect(readFileSync(file)).toEqual(before);
  });
});
