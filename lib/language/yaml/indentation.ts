/**
 * A text whose lines were indented. js-yaml requires each line of a flow collection or quoted text to be indented deeper
 * than its key, as YAML 1.2 does; existing workflows close a bracket below its key, which the original accepts. It takes a
 * tab between the tokens of a flow collection for such a line. This scanner indents the lines, and makes the tabs blanks.
 * It runs only after js-yaml has reported the indentation, so it cannot break a valid text.
 */
export interface Indented {
  readonly text: string;
  /** Number of blanks added, by one-based line. */
  readonly added: ReadonlyMap<number, number>;
}

interface Scan {
  readonly text: string;
  /** Number of blanks to add, by the offset of the line. */
  readonly pads: Map<number, number>;
  /** The text with blanks for the tabs between tokens, from offset 0 to `blanked`. */
  readonly parts: string[];
  blanked: number;
  offset: number;
  /** The column of the block collection around the next value; -1 at the root. */
  parent: number;
}

const DOUBLE_QUOTED = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const SINGLE_QUOTED = /'[^']*(?:''[^']*)*'/y;
const PROPERTY = /[&!*][^\s,[\]{}]*[ \t]*/y;
const INDICATOR = /[-?:](?=[ \t\r\n]|$)[ \t]*/y;
const SEPARATOR = /[ \t]*:(?=[ \t\r\n]|$)[ \t]*/y;
const PLAIN_KEY = /[^\s#][^\r\n:#]*(?:(?::(?![ \t\r\n]|$)|(?<![ \t])#)[^\r\n:#]*)*(?=:(?:[ \t\r\n]|$))/y;
const BLANK_LINE = /[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n|$)/y;
/** The beginning of a collection, behind the blanks of its line. */
const COLLECTION = / *(?:-(?=[ \t\r\n])|[[{"'&!]|[^\s#][^\r\n:#]*:(?=[ \t\r\n]))/y;
const LINE = /[^\r\n]*(?:\r\n?|\n|$)/y;
const FLOW_TOKEN = /[[\]{},]|:(?=\s|["'[{])|(?<![^\s[\]{},])#[^\r\n]*|\s+|[^\s[\]{},:#"']+|[\s\S]/y;

/** Indents every line of flow collections and quoted texts deeper than its key. Takes linear time. */
export function indentFlow(text: string): Indented {
  const scan: Scan = { text, pads: new Map(), parts: [], blanked: 0, offset: 0, parent: -1 };
  while (scan.offset < text.length) scanLine(scan);
  return inserted(scan);
}

function scanLine(scan: Scan): void {
  if (skip(scan, BLANK_LINE)) return;
  const start = scan.offset;
  while (scan.text[scan.offset] === ' ') scan.offset += 1;
  scan.parent = -1;
  while (scanToken(scan, start));
  skip(scan, LINE);
}

/** Returns true when another token may follow on the line. */
function scanToken(scan: Scan, lineStart: number): boolean {
  const from = scan.offset;
  const column = from - lineStart;
  if (skip(scan, PROPERTY)) return blankTabs(scan, from);
  if (skip(scan, INDICATOR)) {
    scan.parent = column;
    return blankTabs(scan, from);
  }
  const first = scan.text[from] ?? '';
  if (isBeforeCollection(scan)) return false;
  if (first === '|' || first === '>') return skipDeeper(scan);
  if (!isEnclosed(first)) return skip(scan, PLAIN_KEY) ? skipColon(scan, column) : skipDeeper(scan);
  skipEnclosed(scan, first);
  padLines(scan, from, scan.offset);
  return skipColon(scan, column);
}

/** True at the end of a line if the next line with a content begins a collection: the value of the key before it. */
function isBeforeCollection({ text, offset }: Scan): boolean {
  let next = offset;
  BLANK_LINE.lastIndex = next;
  while (next < text.length && BLANK_LINE.test(text)) {
    next = BLANK_LINE.lastIndex;
  }
  COLLECTION.lastIndex = next;
  return next > offset && COLLECTION.test(text);
}

/** Skips a block or plain text, which continues as long as lines are indented deeper than their parent. */
function skipDeeper(scan: Scan): false {
  skip(scan, LINE);
  const deeper = new RegExp(`(?:[ \\t]*(?:\\r\\n?|\\n)| {${scan.parent + 1}})`, 'y');
  while (scan.offset < scan.text.length && isAt(scan, deeper)) skip(scan, LINE);
  scan.offset -= 1;
  if (scan.text[scan.offset] === '\n' && scan.text[scan.offset - 1] === '\r') scan.offset -= 1;
  return false;
}

function skipColon(scan: Scan, column: number): boolean {
  const from = scan.offset;
  if (!skip(scan, SEPARATOR)) return false;
  scan.parent = column;
  return blankTabs(scan, from);
}

/** Makes the tabs before the offset blanks, from an offset at which no other call begins before it. */
function blankTabs(scan: Scan, from: number): true {
  const { text, parts, blanked, offset } = scan;
  parts.push(text.slice(blanked, from), text.slice(from, offset).replaceAll('\t', ' '));
  scan.blanked = offset;
  return true;
}

function isEnclosed(first: string): boolean {
  return first !== '' && '"\'[{'.includes(first);
}

/** Skips a quoted text or flow collection, to the end of the text if it is not closed. */
function skipEnclosed(scan: Scan, first: string): void {
  if (first === '[' || first === '{') skipFlow(scan);
  else if (!skip(scan, first === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED)) scan.offset = scan.text.length;
}

/** The beginning of a plain text in a flow collection: a tab in it is content. */
const PLAIN = /^(?:[^\s[\]{},:#"'&!*?-]|[-?:](?=[^\s[\]{},]))/;
/** The tokens that end a plain text. */
const AFTER_PLAIN = /[,[\]{}]|(?<=\s)#|:(?=[\s,[\]{}"'])|$/y;

function skipFlow(scan: Scan): void {
  let depth = 0;
  let isAtStart = true;
  let isPlain = false;
  while (scan.offset < scan.text.length) {
    const from = scan.offset;
    const first = scan.text[from] ?? '';
    isPlain &&= !isAt(scan, AFTER_PLAIN);
    if (isAtStart && (first === '"' || first === "'")) skipEnclosed(scan, first);
    else skip(scan, FLOW_TOKEN);
    const isSpace = /\s/.test(first);
    if (isSpace && (!isPlain || isAt(scan, AFTER_PLAIN))) blankTabs(scan, from);
    depth += '[{'.includes(first) ? 1 : ']}'.includes(first) ? -1 : 0;
    if (depth === 0) return;
    isPlain ||= isAtStart && PLAIN.test(scan.text.slice(from, from + 2));
    isAtStart = /[[{,:\s]/.test(first) && (isAtStart || !isSpace);
  }
}

function padLines(scan: Scan, from: number, to: number): void {
  for (const found of scan.text.slice(from, to).matchAll(/(?:\r\n?|\n)( *)(?![ \r\n])/g)) {
    const missing = scan.parent + 1 - (found[1] ?? '').length;
    const lineStart = from + found.index + found[0].length - (found[1] ?? '').length;
    if (missing > 0) scan.pads.set(lineStart, missing);
  }
}

function isAt(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.offset;
  return pattern.test(scan.text);
}

function skip(scan: Scan, pattern: RegExp): boolean {
  const isFound = isAt(scan, pattern);
  if (isFound) scan.offset = pattern.lastIndex;
  return isFound;
}

function inserted({ text: tabbed, parts: blanks, blanked, pads }: Scan): Indented {
  const text = blanks.join('') + tabbed.slice(blanked);
  const parts: string[] = [];
  const added = new Map<number, number>();
  let done = 0;
  let line = 1;
  for (const [offset, missing] of pads) {
    const part = text.slice(done, offset);
    line += part.match(/\r\n?|\n/g)?.length ?? 0;
    added.set(line, missing);
    parts.push(part, ' '.repeat(missing));
    done = offset;
  }
  return { text: parts.join('') + text.slice(done), added };
}
