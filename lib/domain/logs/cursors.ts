import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

/** A line that was sent to a reader: its time and a hash of its id. */
export interface Sent {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly hash: number;
}

/** How far a reader has read a log. */
export interface Cursor {
  /** Microseconds since 1970: earlier lines were sent or skipped; the others are new unless they are in `sent`. */
  readonly since: number;
  /** The number of lines that were sent, and of those that an offset skipped. */
  readonly done: number;
  /** The number of lines in the log. */
  readonly total: number;
  readonly sent: readonly Sent[];
}

/** The maximum number of lines in a cursor, which must fit into a header. */
export const MAX_SENT = 300;

// In the text of a cursor a line is the microseconds after `since`, and the hash.
const DELTA_BYTES = 5;
const HASH_BYTES = 3;
const ENTRY_BYTES = DELTA_BYTES + HASH_BYTES;
const MAX_DELTA = 2 ** (8 * DELTA_BYTES) - 1;
const RADIX = 36;

/** The hash of the id of a line, 24 bits. */
export const hashOf = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, HASH_BYTES);

/** Identifies a line among those that were sent. */
export const nameOf = ({ at, hash }: Sent): string => `${at} ${hash}`;

/**
 * Returns the cursor with at most `MAX_SENT` lines. With more, it starts after the newest line that is dropped: an
 * earlier line that becomes visible later is missed, and none is repeated.
 */
export function bounded(cursor: Cursor): Cursor {
  const isKept = ({ at }: Sent) => at >= cursor.since && at - cursor.since <= MAX_DELTA;
  const sent = cursor.sent.filter(isKept).sort((a, b) => a.at - b.at);
  const dropped = sent.at(-MAX_SENT - 1);
  if (dropped === undefined) return { ...cursor, sent };
  const since = dropped.at + 1;
  return { ...cursor, since, sent: sent.filter(({ at }) => at >= since) };
}

/** Returns a cursor as URL-safe text of at most 3,300 characters. */
export function toText({ since, done, total, sent }: Cursor): string {
  const bytes = Buffer.alloc(sent.length * ENTRY_BYTES);
  for (const [index, { at, hash }] of sent.entries()) {
    bytes.writeUIntBE(at - since, index * ENTRY_BYTES, DELTA_BYTES);
    bytes.writeUIntBE(hash, index * ENTRY_BYTES + DELTA_BYTES, HASH_BYTES);
  }
  const numbers = [since, done, total].map((number) => number.toString(RADIX));
  return [...numbers, bytes.toString('base64url')].join('.');
}

const FORM = /^([0-9a-z]{1,11})\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([\w-]*)$/;
const MAX_SHOWN = 60;

/** The error `malformed` for a text that is not a cursor of the log. */
export function malformedCursor(text: string): ServiceError {
  const shown = text.slice(0, MAX_SHOWN).toWellFormed();
  return new ServiceError(
    'malformed',
    `'${shown}' is not a cursor of this log; send the id of its last event as Last-Event-ID, or no Last-Event-ID to start over`,
  );
}

/** The inverse of `toText`. Throws `malformed` for any other text. */
export function fromText(text: string): Cursor {
  const [, since = '', done = '', total = '', packed = ''] = FORM.exec(text) ?? [];
  const bytes = Buffer.from(packed, 'base64url');
  const count = bytes.length / ENTRY_BYTES;
  const isWhole = Number.isInteger(count) && count <= MAX_SENT && bytes.toString('base64url') === packed;
  if (since === '' || !isWhole) throw malformedCursor(text);
  const begin = Number.parseInt(since, RADIX);
  const sent = Array.from({ length: count }, (_, index) => ({
    at: begin + bytes.readUIntBE(index * ENTRY_BYTES, DELTA_BYTES),
    hash: bytes.readUIntBE(index * ENTRY_BYTES + DELTA_BYTES, HASH_BYTES),
  }));
  return { since: begin, done: Number.parseInt(done, RADIX), total: Number.parseInt(total, RADIX), sent };
}
