/**
 * Preloaded into `npm start` (`node --import`). After each flush of the database's log that the service requests, and before
 * the service learns of it, it writes to the file SYNC_RECORD how much of the log was flushed: the salt of the log and the
 * number of its frames, read from the index of the log (https://www.sqlite.org/walformat.html).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { fdatasync, openSync } = fs;
const record = process.env.SYNC_RECORD;
const file = openSync(record, 'w', 0o600);
/** Descriptors of logs, and of their indexes. An index stays open: closing it would release SQLite's locks. */
const indexes = new Map();

fs.openSync = (path, ...rest) => {
  const opened = openSync(path, ...rest);
  if (String(path).endsWith('-wal')) indexes.set(opened, openSync(String(path).replace(/-wal$/, '-shm'), 'r'));
  return opened;
};

/** The salt of the log and the number of its committed frames, as a line of fixed length. */
function stateOf(index) {
  const header = Buffer.alloc(48);
  fs.readSync(index, header, 0, header.length, 0);
  const frames = header.readUInt32LE(16);
  return `${header.toString('hex', 32, 40)} ${String(frames).padStart(12, '0')}\n`;
}

fs.fdatasync = (opened, done) => {
  const index = indexes.get(opened);
  const state = index === undefined ? undefined : stateOf(index);
  fdatasync(opened, (error) => {
    if (error === null && state !== undefined) fs.writeSync(file, state, 0);
    done(error);
  });
};
syncBuiltinESMExports();
