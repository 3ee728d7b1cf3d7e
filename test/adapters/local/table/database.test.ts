import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDatabase } from '../../../../lib/adapters/local/table/database.ts';
import { createTables, localClient, openLocalTable } from '../../../../lib/adapters/local/table/table.ts';
import type { Table } from '../../../../lib/ports/table.ts';

const OWNER = fileURLToPath(new URL('database-owner.ts', import.meta.url));
const KEPT = { table: 'runs', pk: 'kept', sk: '.' } as const;

let folder: string;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-database-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const keptIn = async (table: Table): Promise<boolean> => (await table.get([KEPT]))[0] !== undefined;
const notedPid = (): number => Number(readFileSync(join(folder, 'database.pid'), 'utf8'));

function isRunning(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) Z /.test(stat);
}

/** Another process that has the folder open. */
async function startOwner(): Promise<ChildProcess> {
  const owner = spawn(process.execPath, [OWNER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(owner);
  await once(owner.stdout ?? owner, 'data');
  return owner;
}

/** The database of the folder, without anybody who minds it. */
async function startOrphan(): Promise<ChildProcess> {
  const other = await startDatabase();
  await other.close();
  const binary = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  const args = ['serve', '--port', new URL(other.endpoint).port, '--db-path', join(folder, 'database')];
  const orphan = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(orphan);
  await once(orphan.stderr ?? orphan, 'data');
  return orphan;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a database in a folder', () => {
  test('keeps its data when it is closed', async () => {
    const first = await openLocalTable({ folder });
    await first.table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
    await first.close();
    const second = await openLocalTable({ folder });
    expect(await keptIn(second.table)).toBe(true);
    await second.close();
  });

  test('ends with its process although that is killed, and can be opened again at once with all that was written', async () => {
    const owner = await startOwner();
    const pid = notedPid();
    expect(isRunning(pid)).toBe(true);
    await kill(owner);
    const next = await openLocalTable({ folder });
    expect(await keptIn(next.table)).toBe(true);
    expect(isRunning(pid)).toBe(false);
    await next.close();
  });

  test('ends by itself after its process was killed, also when nobody comes after', async () => {
    const owner = await startOwner();
    const pid = notedPid();
    await kill(owner);
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });

  test('is refused to a second process, which does not disturb the first', async () => {
    const owner = await startOwner();
    const pid = notedPid();
    await expect(openLocalTable({ folder })).rejects.toThrow(`${folder} is in use by another Weft`);
    expect(isRunning(pid)).toBe(true);
    await kill(owner);
  });

  test('is refused to a second opening in the same process until it is closed', async () => {
    const first = await startDatabase({ folder });
    await expect(startDatabase({ folder })).rejects.toThrow('in use');
    await first.close();
    const second = await startDatabase({ folder });
    await second.close();
  });

  test('that outlived its process is ended before a new one starts', async () => {
    const orphan = await startOrphan();
    expect(isRunning(orphan.pid ?? 0)).toBe(true);
    await writeFile(join(folder, 'database.pid'), `${orphan.pid}\n`);
    const next = await startDatabase({ folder });
    expect(isRunning(orphan.pid ?? 0)).toBe(false);
    await next.close();
  });

  test('leaves alone a process that has only the noted number', async () => {
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    started.push(stranger);
    await once(stranger, 'spawn');
    await writeFile(join(folder, 'database.pid'), `${stranger.pid}\n`);
    const next = await startDatabase({ folder });
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
    await next.close();
  });

  test('starts whatever the noted number is', async () => {
    await writeFile(join(folder, 'database.pid'), '-1 rubbish');
    const next = await startDatabase({ folder });
    await next.close();
  });

  test('that is no database is an error with its reason, and the folder is free again', async () => {
    await writeFile(join(folder, 'database'), 'not a database, but long enough to be looked at as one'.repeat(100));
    await expect(startDatabase({ folder })).rejects.toThrow(
      /did not start: .*not a database|did not start: .*not a valid/is,
    );
    await rm(join(folder, 'database'));
    const next = await startDatabase({ folder });
    await next.close();
  });

  test('that ends by itself is told, with a reason; one that is closed is not', async () => {
    const told: string[] = [];
    const onLost = (reason: string) => told.push(reason);
    const lost = await startDatabase({ folder, onLost });
    process.kill(notedPid(), 'SIGKILL');
    await expect.poll(() => told).toEqual([expect.stringContaining('ended by itself')]);
    await lost.close();
    const closed = await startDatabase({ folder, onLost });
    await closed.close();
    expect(told).toHaveLength(1);
  });
});

describe('a database', () => {
  test('in memory is a new one each time', async () => {
    const [first, second] = await Promise.all([openLocalTable(), openLocalTable()]);
    await first.table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
    expect([await keptIn(first.table), await keptIn(second.table)]).toEqual([true, false]);
    await Promise.all([first.close(), second.close()]);
  });

  test('may be closed twice', async () => {
    const database = await startDatabase();
    await Promise.all([database.close(), database.close()]);
    await database.close();
  });

  test('that runs elsewhere is used with a signature, and left running', async () => {
    const elsewhere = await startDatabase();
    const first = await openLocalTable({ endpoint: elsewhere.endpoint });
    await first.table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
    await first.close();
    const second = await openLocalTable({ endpoint: elsewhere.endpoint });
    expect(await keptIn(second.table)).toBe(true);
    await second.close();
    await elsewhere.close();
  });

  test('for a system that has none is refused with the way out', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch');
    Object.defineProperty(process, 'arch', { value: 'pdp11', configurable: true });
    await expect(startDatabase().finally(() => Object.defineProperty(process, 'arch', arch ?? {}))).rejects.toThrow(
      /no embedded database for \w+-pdp11.*DYNAMODB_ENDPOINT/,
    );
  });

  test('has its tables made once, in any names', async () => {
    const database = await startDatabase();
    const client = localClient(database);
    const names = { catalog: 'one', runs: 'two', journal: 'three' };
    await createTables(client, names);
    await Promise.all([createTables(client, names), createTables(client, names)]);
    client.destroy();
    await database.close();
  });
});
