import { closeSync, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivate } from './private-file.ts';

/** The size of a whole reserve, bytes: what a large deletion needs in the log until it is copied into the database. */
const WHOLE_BYTES = 16 * 1024 * 1024;
/** A small disk has a reserve of this part of it at most. */
const WHOLE_PART = 16;
/** The bytes, and the part of the disk, that must be free beside a whole reserve before writes go on. */
const [ROOM_BYTES, ROOM_PART] = [2 * WHOLE_BYTES, 8];
/** With less free space than this, and than this part of the disk, the disk counts as full at a start. */
const [FULL_BYTES, FULL_PART] = [1024 * 1024, 64];
/** The last half that is not divided further, bytes. */
const LAST_BYTES = 64 * 1024;
const CHUNK = Buffer.alloc(256 * 1024);

/** The name of the file of the reserve of a database. */
export const reserveFile = (database: string): string => `${database}-reserve`;

interface Space {
  readonly total: number;
  readonly free: number;
}

/**
 * A file without content that holds space of the disk, for reads, cancellations and deletions while the disk is full. Where
 * a file system stores no zeros, or copies a block at each change of it, it holds less than its size.
 */
export class Reserve {
  readonly #folder: string;
  readonly #descriptor: number;
  /** Space was given back, and the reserve is not whole since. */
  #isReleased = false;

  /** Opens the reserve of a database file, and fills it if there is room. Where the disk is full, it gives space back. */
  constructor(database: string) {
    this.#folder = dirname(database);
    const file = reserveFile(database);
    makePrivate(file);
    this.#descriptor = openSync(file, 'r+');
    const { total, free } = this.#space();
    if (free < Math.min(FULL_BYTES, total / FULL_PART)) this.release();
    // A process before has used a part of it, and the disk has no room for it since.
    else this.#isReleased = !this.#fill() && this.#size > 0;
  }

  /** Whether changes are made from the reserve: it has given space back. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Gives half of the space that is left back to the disk. Returns false when none is left. */
  release(): boolean {
    const size = this.#size;
    if (size === 0) return false;
    ftruncateSync(this.#descriptor, size > LAST_BYTES ? Math.floor(size / 2) : 0);
    this.#isReleased = true;
    return true;
  }

  /** Takes the space again if the disk has much room. Returns whether the reserve needs none, or is whole. */
  restore(): boolean {
    if (this.#isReleased && this.#fill()) this.#isReleased = false;
    return !this.#isReleased;
  }

  /** The size of a whole reserve, which depends on the size of the disk. */
  get wholeBytes(): number {
    return Math.floor(Math.min(WHOLE_BYTES, this.#space().total / WHOLE_PART));
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  get #size(): number {
    return fstatSync(this.#descriptor).size;
  }

  #space(): Space {
    const { blocks, bavail, bsize } = statfsSync(this.#folder);
    return { total: blocks * bsize, free: bavail * bsize };
  }

  #fill(): boolean {
    const { total, free } = this.#space();
    const size = this.#size;
    const whole = this.wholeBytes;
    if (size >= whole) return true;
    if (free - (whole - size) < Math.min(ROOM_BYTES, total / ROOM_PART)) return false;
    try {
      for (let at = size; at < whole; )
        at += writeSync(this.#descriptor, CHUNK, 0, Math.min(CHUNK.length, whole - at), at);
      return true;
    } catch {
      ftruncateSync(this.#descriptor, size);
      return false;
    }
  }
}
