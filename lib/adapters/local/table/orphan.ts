import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FILE = 'database.pid';
const PAUSE_MS = 10;
const LONGEST_END_MS = 5_000;

/** Notes the child that has the folder's database open, for the process that comes after a crash. */
export function keepChild(folder: string, pid: number): void {
  writeFileSync(join(folder, FILE), `${pid}\n`);
}

/**
 * Ends a database process that outlived its parent. The caller holds the folder's lock, so nobody else needs it. A
 * process is ended only if it is the noted one and still has just this database file on its command line.
 * @throws Error when it cannot be ended.
 */
export async function endOrphan(folder: string, database: string): Promise<void> {
  const pid = Number(read(join(folder, FILE)));
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  const deadline = performance.now() + LONGEST_END_MS;
  for (let signal: NodeJS.Signals = 'SIGTERM'; isDatabase(pid, database); signal = 'SIGKILL') {
    process.kill(pid, signal);
    const patience = signal === 'SIGTERM' ? LONGEST_END_MS / 2 : LONGEST_END_MS;
    const until = Math.min(deadline, performance.now() + patience);
    while (isDatabase(pid, database) && performance.now() < until) await sleep(PAUSE_MS);
    if (signal === 'SIGKILL') break;
  }
  if (isDatabase(pid, database)) throw new Error(`process ${pid} still has ${database} open and cannot be ended`);
}

/** Only where /proc tells; the embedded database runs nowhere else. */
function isDatabase(pid: number, database: string): boolean {
  const words = read(`/proc/${pid}/cmdline`).split('\0');
  return words.includes('serve') && words.includes(database);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
