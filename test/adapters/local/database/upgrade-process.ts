/**
 * A process that opens the tables of a folder and migrates them to another schema version, for tests that kill it:
 * `node … FOLDER NUMBER`. It kills itself at the item with that number, because no other process could kill it at that
 * moment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATIONS } from '../../../../lib/domain/migrations/index.ts';
import { openUpgraded } from './open-upgraded.ts';
import { renaming } from './renaming.ts';

const [folder = '', number = ''] = process.argv.slice(2);
let seen = 0;
const deadly = renaming(() => {
  seen += 1;
  if (seen === Number(number)) process.kill(process.pid, 'SIGKILL');
});
await openUpgraded(folder, [...MIGRATIONS, deadly]);
await sleep(1000);
