import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

/** A line that was sent: its time, and what tells it from others of that microsecond. */
export interface Sent {
  /** Microseconds since 1970. */
  readonly at: number;
  readonly hash: number;
}

/** How far somebody has come in reading a log. */
export interface Mark {
  /** Lines from this microsecond on count as new unless they are among `sent`; older ones are done with. */
  readonly since: number;
  /** How many lines were sent, and skipped before by an offset. */
  readonly done: number;
  /** How many lines there were. */
  readonly total: number;
  readonly sent: readonly Sent[];
}

/** So many lines a mark remembers: it has to go into a header. */
export const MOST_SENT = 300;

/** A line in a mark: microseconds after `since`, and the hash. */
const DELTA_BYTES = 5;
const HASH_BYTES = 3;
const ENTRY_BYTES = DELTA_BYTES + HASH_BYTES;
const LARGEST_DELTA = 2 ** (8 * DELTA_BYTES) - 1;
const RADIX = 36;

export const hashOf = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, HASH_BYTES);

/** Tells a line that was sent from others. */
export const nameOf = ({ at, hash }: Sent): string => `${at} ${hash}`;

/**
 * The mark with no more than it may remember. Where too much was sent, it begins after the newest of what it cannot
 * remember: a line that becomes visible as late as that is missed, none comes twice.
 */
export function bounded(mark: Mark): Mark {
  const isKept = ({ at }: Sent) => at >= mark.since && at - mark.since <= LARGEST_DELTA;
  const sent = mark.sent.filter(isKept).sort((a, b) => a.at - b.at);
  const dropped = sent.at(-MOST_SENT - 1);
  if (dropped === undefined) return { ...mark, sent };
  const since = dropped.at + 1;
  return { ...mark, since, sent: sent.filter(({ at }) => at >= since) };
}

/** URL-safe text of at most 3,300 characters. */
export function toText({ since, done, total, sent }: Mark): string {
  const bytes = Buffer.alloc(sent.length * ENTRY_BYTES);
  for (const [index, { at, hash }] of sent.entries()) {
    bytes.writeUIntBE(at - since, index * ENTRY_BYTES, DELTA_BYTES);
    bytes.writeUIntBE(hash, index * ENTRY_BYTES + DELTA_BYTES, HASH_BYTES);
  }
  const numbers = [since, done, total].map((number) => number.toString(RADIX));
  return [...numbers, bytes.toString('base64url')].join('.');
}

const FORM = /^([0-9a-z]{1,11})\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([\w-]*)$/;
const LONGEST_SHOWN = 60;

/** Throws `malformed`: the text is no mark of this log. */
export function noMark(text: string): ServiceError {
  const shown = text.slice(0, LONGEST_SHOWN).toWellFormed();
  return new ServiceError(
    'malformed',
    `'${shown}' is no mark of this log; send the id of its last event as Last-Event-ID, or none to begin anew`,
  );
}

/** Reads a mark. Throws `malformed` for a text that is none. */
export function fromText(text: string): Mark {
  const [, since = '', done = '', total = '', packed = ''] = FORM.exec(text) ?? [];
  const bytes = Buffer.from(packed, 'base64url');
  const count = bytes.length / ENTRY_BYTES;
  const isWhole = Number.isInteger(count) && count <= MOST_SENT && bytes.toString('base64url') === packed;
  if (since === '' || !isWhole) throw noMark(text);
  const begin = Number.parseInt(since, RADIX);
  const sent = Array.from({ length: count }, (_, index) => ({
    at: begin + bytes.readUIntBE(index * ENTRY_BYTES, DELTA_BYTES),
    hash: bytes.readUIntBE(index * ENTRY_BYTES + DELTA_BYTES, HASH_BYTES),
  }));
  return { since: begin, done: Number.parseInt(done, RADIX), total: Number.parseInt(total, RADIX), sent };
}
