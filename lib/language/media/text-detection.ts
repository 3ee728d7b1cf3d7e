/** A text is looked at no further than this, unless it may be JSON. */
const HEAD = 3072;

/** The tags that make a text html, in any case, where one of them begins it and a blank or `>` ends it. */
const HTML = /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)(?=[\s>])/i;

/** How a text that begins so is called; the first that fits counts. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [HTML, 'text/html; charset=utf-8'],
  [/^(?:<\?xml\b[\s\S]*)?<svg[\s>]/, 'image/svg+xml'],
  [/^<\?xml\b/, 'text/xml; charset=utf-8'],
  [/^\{\\rtf/, 'text/rtf'],
];

/** Fields of one row, quoted or bare, and the separator; both kinds of table are read alike. */
const TABLES: readonly (readonly [string, string])[] = [
  [',', 'text/csv'],
  ['\t', 'text/tab-separated-values'],
];

/** True when the beginning of the bytes holds no zero byte, which no text has. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, HEAD).includes(0);
}

/** The media type of bytes that are text, as the original names it. */
export function textType(bytes: Uint8Array): string {
  const text = decode(bytes);
  if (text === undefined) return hasControls(bytes) ? 'text/plain' : 'text/plain; charset=iso-8859-1';
  const trimmed = text.trim();
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(trimmed.slice(0, HEAD)));
  if (beginning !== undefined) return beginning[1];
  if (isJson(trimmed)) return 'application/json';
  const lines = trimmed.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length > 1 && lines.every(isJson)) return 'application/x-ndjson';
  return tableType(lines) ?? (hasControls(bytes) ? 'text/plain' : 'text/plain; charset=utf-8');
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hasControls(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f);
}

function isJson(text: string): boolean {
  // Most texts are told from JSON by their first letter, without the cost of a failing parse.
  if (!/^[[{"\-0-9tfn]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A table has at least two rows, all of the same number of fields, which is more than one. */
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
