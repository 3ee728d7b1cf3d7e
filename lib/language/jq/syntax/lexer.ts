import { JqSyntaxError } from './errors.ts';

/** The kinds of tokens. `open` and `close` begin and end an interpolation; an `end` is the end of the program. */
export type TokenKind =
  | 'field'
  | 'name'
  | 'variable'
  | 'number'
  | 'format'
  | 'quote'
  | 'text'
  | 'open'
  | 'close'
  | 'operator'
  | 'end';

/** A token of a jq program. */
export interface Token {
  readonly kind: TokenKind;
  /** As written, without the dot of a field and the `$` of a variable; of a text, the characters that it means. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A backslash at the end of a line continues a comment, as in Tcl. */
const BLANK = /(?:[ \t\r\n]+|#(?:[^\\\n]|\\(?:\r?\n|[^\n]))*)*/y;
const TOKEN =
  /\.([A-Za-z_]\w*)|((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)|(\?\/\/=?|\/\/=|\.\.|\/\/|\|=|==|!=|<=|>=|\+=|-=|\*=|\/=|%=|\.(?!\d)|[?|,;:()[\]{}=<>+*/%-])|(")|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|\$\s*((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)|(@\w+)/y;

/** The kinds of the groups of TOKEN, in their order. */
const GROUPS: readonly TokenKind[] = ['field', 'name', 'operator', 'quote', 'number', 'variable', 'format'];
const STRING_PART = /((?:[^"\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)("|\\\(|\\|$)/y;

/** Corrections for characters that jq does not have. */
const FOREIGN: readonly { readonly written: RegExp; readonly hint: string }[] = [
  { written: /^&&?/, hint: "write 'and'" },
  { written: /^!/, hint: "write '| not' behind the value" },
  { written: /^'/, hint: 'write strings in double quotes' },
  { written: /^[\u2018\u2019\u201c\u201d]/, hint: 'replace the typographic quote by a straight double quote' },
  { written: /^`/, hint: 'write strings in double quotes' },
  { written: /^\u00a0/, hint: 'replace the no-break space by a space' },
  { written: /^~/, hint: 'jq has no operator ~; use test("…") for regular expressions' },
];

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(.))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const decode = (text: string): string =>
  !text.includes('\\')
    ? text
    : text.replace(ESCAPE, (_, code?: string, letter = '') =>
        code === undefined ? (ESCAPED[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
      );

/** The state of the lexer: the tokens so far, and for each open bracket whether it is that of an interpolation. */
interface Scan {
  readonly program: string;
  readonly tokens: Token[];
  readonly brackets: boolean[];
  offset: number;
}

function add(scan: Scan, kind: TokenKind, text: string, to: number): void {
  scan.tokens.push({ kind, text, from: scan.offset, to });
  scan.offset = to;
}

function foreignCharacter({ program, offset }: Scan): JqSyntaxError {
  const rest = program.slice(offset);
  const hint = FOREIGN.find(({ written }) => written.test(rest))?.hint;
  return new JqSyntaxError(`unexpected character ${JSON.stringify([...rest][0])}`, offset, hint);
}

/** Scans a string up to its end or to an interpolation. */
function scanText(scan: Scan, start: number): void {
  STRING_PART.lastIndex = scan.offset;
  const [, text = '', end = ''] = STRING_PART.exec(scan.program) ?? [];
  add(scan, 'text', decode(text), scan.offset + text.length);
  if (end === '') throw new JqSyntaxError('a string is not closed', start, 'close it with a double quote');
  if (end === '\\') {
    const hint = 'a backslash is written twice in a jq string: "\\\\d"';
    const sequence = scan.program.slice(scan.offset, scan.offset + 2);
    throw new JqSyntaxError(`unknown escape sequence ${sequence} in a string`, scan.offset, hint);
  }
  if (end === '"') add(scan, 'quote', '"', scan.offset + 1);
  else {
    add(scan, 'open', end, scan.offset + 2);
    scan.brackets.push(true);
  }
}

function scanBracket(scan: Scan, bracket: string): void {
  if (bracket === '(') scan.brackets.push(false);
  const isClose = bracket === ')' && scan.brackets.pop() === true;
  add(scan, isClose ? 'close' : 'operator', bracket, scan.offset + 1);
  if (isClose) scanText(scan, scan.offset);
}

/** Returns the tokens of a jq program, the last of which is its end. Throws JqSyntaxError. */
export function tokensOf(program: string): readonly Token[] {
  const scan: Scan = { program, tokens: [], brackets: [], offset: 0 };
  for (;;) {
    BLANK.lastIndex = scan.offset;
    BLANK.exec(program);
    scan.offset = BLANK.lastIndex;
    if (scan.offset >= program.length) break;
    TOKEN.lastIndex = scan.offset;
    const found = TOKEN.exec(program);
    if (found === null) throw foreignCharacter(scan);
    let group = 1;
    while (found[group] === undefined) group += 1;
    const { [group]: text = '' } = found;
    const kind = GROUPS[group - 1] ?? 'operator';
    const start = scan.offset;
    if (kind === 'quote') {
      add(scan, 'quote', text, start + 1);
      scanText(scan, start);
    } else if (text === '(' || text === ')') scanBracket(scan, text);
    else add(scan, kind, text, start + found[0].length);
  }
  add(scan, 'end', '', program.length);
  return scan.tokens;
}
