import { parseJson } from '../json-numbers.ts';

/** Only so many bytes or characters are examined, except for JSON and tables. */
const MAX_EXAMINED = 3072;

/** So many bytes or characters are examined for JSON and tables: parsing more would hold the thread for too long. */
const MAX_PARSED = 4 * 1024 * 1024;

/** A tag at the beginning of HTML, in any case, followed by white space or `>`. */
const HTML = /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)(?=[\s>])/i;

/** Beginnings of texts and their types; the first that matches counts. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [HTML, 'text/html; charset=utf-8'],
  [/^(?:<\?xml\b[\s\S]*)?<svg[\s>]/, 'image/svg+xml'],
  [/^<\?xml\b/, 'text/xml; charset=utf-8'],
  [/^\{\\rtf/, 'text/rtf'],
];

/** The separators of tables and their types. */
const TABLES: readonly (readonly [string, string])[] = [
  [',', 'text/csv'],
  ['\t', 'text/tab-separated-values'],
];

/** True when the first bytes contain no zero byte, which no text has. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, MAX_EXAMINED).includes(0);
}

/** Detects the media type of text, in the original's spelling (rest-api 6.3). */
export function detectTextType(bytes: Uint8Array): string {
  const text = decode(bytes);
  if (text === undefined) return hasControls(bytes) ? 'text/plain' : 'text/plain; charset=iso-8859-1';
  const trimmed = text.trim();
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(trimmed.slice(0, MAX_EXAMINED)));
  if (beginning !== undefined) return beginning[1];
  if (trimmed.length > MAX_PARSED ? hasJsonEnds(trimmed) : isJson(trimmed)) return 'application/json';
  const lines = linesOf(trimmed);
  if (lines.length > 1 && lines.every(isJson)) return 'application/x-ndjson';
  return tableType(lines) ?? (hasControls(bytes) ? 'text/plain' : 'text/plain; charset=utf-8');
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first and the last character of a list or an object; but lists and objects on lines of their own are not one. */
function hasJsonEnds(text: string): boolean {
  const [first = ''] = text.slice(0, MAX_PARSED).split(/\r?\n/, 1);
  return /^(?:\[.*\]|\{.*\})$/.test(`${text.at(0)}${text.at(-1)}`) && !isJson(first);
}

/** The lines that are not empty; of a long text, those that are whole in its examined part. */
function linesOf(text: string): string[] {
  const lines = text.slice(0, MAX_PARSED).split(/\r?\n/);
  if (text.length > MAX_PARSED && lines.length > 1) lines.pop();
  return lines.filter((line) => line !== '');
}

function hasControls(bytes: Uint8Array): boolean {
  return bytes
    .subarray(0, MAX_PARSED)
    .some((byte) => byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f);
}

function isJson(text: string): boolean {
  // The first character excludes most texts without the cost of a failing parse.
  if (!/^[[{"\-0-9tfn]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** A table has at least two rows, all with the same number of fields, at least two. */
function tableType(lines: readonly string[]): string | undefined {
  const rows = lines.filter((line) => !line.startsWith('#'));
  const found = TABLES.find(([separator]) => {
    const widths = new Set(rows.map((row) => widthOf(row, separator)));
    return rows.length > 1 && widths.size === 1 && !widths.has(1);
  });
  return found?.[1];
}

function widthOf(row: string, separator: string): number {
  return row.replace(/"(?:[^"]|"")*"/g, '').split(separator).length;
}
