import { detectTextType, isText } from './text-detection.ts';

/** Bytes at an offset (default 0), as a string of one character a byte; `.` matches any byte. */
interface Signature {
  readonly type: string;
  readonly at?: number;
  readonly bytes: string;
}

/** The signatures of binary formats; the first that matches counts. */
const SIGNATURES: readonly Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', bytes: 'RIFF....WEBP' },
  { type: 'image/bmp', bytes: 'BM....\0\0\0\0' },
  { type: 'image/tiff', bytes: 'II*\0' },
  { type: 'image/tiff', bytes: 'MM\0*' },
  { type: 'image/x-icon', bytes: '\0\0\x01\0' },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: 'application/postscript', bytes: '%!PS-Adobe-' },
  { type: 'application/zip', bytes: 'PK\x03\x04' },
  { type: 'application/zip', bytes: 'PK\x05\x06' },
  { type: 'application/gzip', bytes: '\x1f\x8b' },
  { type: 'application/x-bzip2', bytes: 'BZh' },
  { type: 'application/x-xz', bytes: '\xfd7zXZ\0' },
  { type: 'application/zstd', bytes: '\x28\xb5\x2f\xfd' },
  { type: 'application/x-7z-compressed', bytes: '7z\xbc\xaf\x27\x1c' },
  { type: 'application/x-rar-compressed', bytes: 'Rar!\x1a\x07' },
  { type: 'application/x-tar', at: 257, bytes: 'ustar' },
  { type: 'audio/wav', bytes: 'RIFF....WAVE' },
  { type: 'video/x-msvideo', bytes: 'RIFF....AVI ' },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'audio/flac', bytes: 'fLaC' },
  { type: 'application/ogg', bytes: 'OggS' },
  { type: 'video/mp4', at: 4, bytes: 'ftyp' },
  { type: 'video/webm', bytes: '\x1aE\xdf\xa3' },
  { type: 'font/woff', bytes: 'wOFF' },
  { type: 'font/woff2', bytes: 'wOF2' },
  { type: 'application/wasm', bytes: '\0asm' },
  { type: 'application/x-elf', bytes: '\x7fELF' },
  { type: 'application/x-sqlite3', bytes: 'SQLite format 3\0' },
];

/** Byte order marks and the encodings of texts that begin with them; that of UTF-32 contains one of UTF-16. */
const MARKS: readonly (readonly [string, string])[] = [
  ['\xff\xfe\0\0', 'utf-32le'],
  ['\0\0\xfe\xff', 'utf-32be'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/**
 * Detects the media type of bytes that were sent without one, for example of an output or a new variable (rest-api 6.3).
 * A known binary format has its type; a text with a byte order mark of UTF-16 or UTF-32 is `text/plain` in that encoding; JSON is `application/json`; empty content is `text/plain`; other text is
 * `text/plain; charset=utf-8` or a more specific text type; the rest is `application/octet-stream`.
 */
export function detectMediaType(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'text/plain';
  const format = SIGNATURES.find((signature) => matchesSignature(signature, bytes));
  if (format !== undefined) return format.type;
  const marked = MARKS.find(([mark]) => matchesSignature({ type: '', bytes: mark }, bytes));
  if (marked !== undefined) return `text/plain; charset=${marked[1]}`;
  return isText(bytes) ? detectTextType(bytes) : 'application/octet-stream';
}

function matchesSignature({ at = 0, bytes: expected }: Signature, bytes: Uint8Array): boolean {
  if (bytes.length < at + expected.length) return false;
  for (let index = 0; index < expected.length; index += 1) {
    if (expected[index] !== '.' && expected.charCodeAt(index) !== bytes[at + index]) return false;
  }
  return true;
}
