/**
 * Preloaded into `npm start` (`node --import`). At the start and on SIGUSR2 it reads from the file CHAOS_FAULT the fault from then on:
 * `{clock: milliseconds by which the clock is ahead, commit: {code, message}, bus: {code, message}}`. With `commit`, no
 * transaction of a database can be committed; with `bus`, no row can be added to the journal of the bus.
 */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const file = process.env.CHAOS_FAULT;
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
let fault = read();
process.on('SIGUSR2', () => {
  fault = read();
});

const { now } = Date;
Date.now = () => now() + (fault.clock ?? 0);

const toError = ({ code, message }) => Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: code });

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (text) {
  if (text === 'COMMIT' && fault.commit !== undefined) throw toError(fault.commit);
  return exec.call(this, text);
};

const { run } = StatementSync.prototype;
StatementSync.prototype.run = function (...values) {
  if (fault.bus !== undefined && this.sourceSQL.startsWith('INSERT INTO bus_deliveries')) throw toError(fault.bus);
  return run.apply(this, values);
};
