import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../lib/adapters/local/database/data-folder.ts';
import { markFile } from '../../lib/adapters/local/database/disk/commit-mark.ts';
import type { Random } from './random.ts';

/** Sizes of the log and of its index (https://www.sqlite.org/walformat.html). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const PAGE = 4096;
const FRAME = FRAME_HEADER + PAGE;
/** Offsets in the index: the frames that a checkpoint has copied into the database file, and those it began to copy. */
const [COPIED, COPYING] = [96, 128];

/** The state in which a power cut leaves a killed service's folder. */
export interface PowerCut {
  /** Frames of the log that were flushed, and those that were only written, some of which the power cut destroyed. */
  readonly flushed: number;
  readonly unflushed: number;
  /** Pages of the database file that an unfinished checkpoint left half written. */
  readonly torn: number;
}

interface Index {
  readonly copied: number;
  readonly copying: number;
}

function readIndex(file: string): Index {
  const bytes = Buffer.alloc(COPYING + 4);
  const index = openSync(file, 'r');
  readSync(index, bytes, 0, bytes.length, 0);
  closeSync(index);
  return { copied: bytes.readUInt32LE(COPIED), copying: bytes.readUInt32LE(COPYING) };
}

/** The number of frames of this log that were flushed according to the recorder. */
function recorded(log: Buffer, record: string): number {
  const [salt = '', frames = '0'] = existsSync(record) ? readFileSync(record, 'utf8').trim().split(' ') : [];
  // SQLite flushes all frames of a log, and the database file, before it begins the log again under another salt.
  return salt === log.toString('hex', 16, 24) ? Number(frames) : 0;
}

/** The frames of the log after its last begin, by their salt. */
function framesIn(log: Buffer): number {
  const salt = log.subarray(16, 24);
  let count = 0;
  while (LOG_HEADER + (count + 1) * FRAME <= log.length) {
    const at = LOG_HEADER + count * FRAME;
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    count += 1;
  }
  return count;
}

type Damage = (tail: Buffer, random: Random) => Buffer;

/** Each block of a disk is kept, empty or garbage. */
const destroyBlocks: Damage = (tail, random) => {
  const left = Buffer.from(tail);
  for (let from = 0; from < left.length; from += PAGE) {
    const block = left.subarray(from, from + PAGE);
    const fate = random.between(0, 2);
    if (fate === 1) block.fill(0);
    if (fate === 2) block.fill(random.between(1, 255));
  }
  return left;
};

/** The kinds of damage to the part of a file that was not flushed. */
const DAMAGES: readonly Damage[] = [
  () => Buffer.alloc(0),
  (tail, random) => tail.subarray(0, random.between(0, tail.length)),
  destroyBlocks,
  (tail) => Buffer.alloc(tail.length),
];

/** Destroys pages that an unfinished checkpoint was copying: the flushed log has them. Returns their number. */
function tearPages(pages: Buffer, log: Buffer, { copied, copying }: Index, random: Random): number {
  let torn = 0;
  for (let frame = copied; frame < copying; frame += 1) {
    const page = log.readUInt32BE(LOG_HEADER + frame * FRAME);
    const from = (page - 1) * PAGE;
    // The first page has the format of the file, which a checkpoint does not change.
    if (page === 1 || from >= pages.length || random.fraction() < 0.5) continue;
    pages.fill(random.between(0, 255), from + PAGE / 2, from + PAGE);
    torn += 1;
  }
  return torn;
}

/**
 * Copies the folder of a killed service as a power cut at that moment could have left it: each block that was written
 * to the log after its last flush is lost or kept at random.
 */
export function copyAfterPowerCut(from: string, to: string, record: string, random: Random): PowerCut {
  mkdirSync(to, { mode: 0o700 });
  const [file, copy] = [join(from, DATABASE_FILE), join(to, DATABASE_FILE)];
  // It is not flushed: a disk may have it, or an older one, which claims less.
  if (existsSync(markFile(file))) copyFileSync(markFile(file), markFile(copy));
  if (!existsSync(`${file}-wal`)) {
    copyFileSync(file, copy);
    return { flushed: 0, unflushed: 0, torn: 0 };
  }
  const log = readFileSync(`${file}-wal`);
  const index = readIndex(`${file}-shm`);
  // A checkpoint flushes the log before it copies pages.
  const flushed = Math.max(recorded(log, record), index.copying);
  const end = Math.min(LOG_HEADER + flushed * FRAME, log.length);
  const damage = DAMAGES[random.between(0, DAMAGES.length - 1)] as Damage;
  const pages = readFileSync(file);
  const torn = tearPages(pages, log, index, random);
  writeFileSync(copy, pages, { mode: 0o600 });
  const tail = damage(log.subarray(end), random);
  writeFileSync(`${copy}-wal`, Buffer.concat([log.subarray(0, end), tail]), { mode: 0o600 });
  return { flushed, unflushed: Math.max(0, framesIn(log) - flushed), torn };
}
