import { ownMember } from '../language/own-members.ts';
/**
 * Returns the syntax error of a text that is not JSON, as existing clients know it from the `error` of an event (rest-api
 * 15.2): the first invalid byte. Undefined for valid JSON. The time is linear in the length of the text, and nesting uses
 * no stack, because texts are those of users.
 */
export function syntaxProblem(bytes: Uint8Array): string | undefined {
  // Latin-1 has one character a byte: the messages are about bytes.
  const source: Source = { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), at: 0 };
  const open: string[] = [];
  let state: State = 'value';
  for (;;) {
    skipBlanks(source);
    const character = source.text[source.at];
    if (character === undefined) return state === 'end' ? undefined : END;
    const outcome: State | Wrong = STEPS[state](character, source, open);
    if (typeof outcome === 'object') return messageOf(source, outcome.where);
    state = outcome;
  }
}

interface Source {
  readonly text: string;
  at: number;
}

type State = 'value' | 'first element' | 'key' | 'first key' | 'colon' | 'next element' | 'next pair' | 'end';

/** The character at `source.at` is invalid; `where` is the context of the message. */
interface Wrong {
  readonly where: string;
}

type Step = (character: string, source: Source, open: string[]) => State | Wrong;

const END = 'unexpected end of JSON input';

/** The state after a value. */
function after(open: readonly string[]): State {
  const inside = open.at(-1);
  if (inside === undefined) return 'end';
  return inside === '{' ? 'next pair' : 'next element';
}

function close(source: Source, open: string[]): State {
  source.at += 1;
  open.pop();
  return after(open);
}

function go(source: Source, state: State): State {
  source.at += 1;
  return state;
}

const STEPS: Readonly<Record<State, Step>> = {
  value: (character, source, open) => {
    if (character === '{' || character === '[') {
      open.push(character);
      return go(source, character === '{' ? 'first key' : 'first element');
    }
    const read = ownMember(SCALARS, character);
    return read === undefined ? { where: 'looking for beginning of value' } : (read(source) ?? after(open));
  },
  'first element': (character, source, open) =>
    character === ']' ? close(source, open) : STEPS.value(character, source, open),
  'first key': (character, source, open) =>
    character === '}' ? close(source, open) : STEPS.key(character, source, open),
  key: (character, source) =>
    character === '"' ? (readText(source) ?? 'colon') : { where: 'looking for beginning of object key string' },
  colon: (character, source) => (character === ':' ? go(source, 'value') : { where: 'after object key' }),
  'next element': (character, source, open) => {
    if (character === ',') return go(source, 'value');
    return character === ']' ? close(source, open) : { where: 'after array element' };
  },
  'next pair': (character, source, open) => {
    if (character === ',') return go(source, 'key');
    return character === '}' ? close(source, open) : { where: 'after object key:value pair' };
  },
  end: () => ({ where: 'after top-level value' }),
};

function skipBlanks(source: Source): void {
  while (source.at < source.text.length && ' \t\r\n'.includes(source.text.charAt(source.at))) source.at += 1;
}

type Read = (source: Source) => Wrong | undefined;

const ESCAPES = 'bfnrt\\/"';

const readText: Read = (source) => {
  for (source.at += 1; source.text[source.at] !== '"'; source.at += 1) {
    const character = source.text[source.at];
    if (character === undefined || character < ' ') return { where: 'in string literal' };
    if (character !== '\\') continue;
    source.at += 1;
    const letter = source.text.charAt(source.at);
    if (letter === 'u') {
      const wrong = readDigits(source);
      if (wrong !== undefined) return wrong;
    } else if (letter === '' || !ESCAPES.includes(letter)) return { where: 'in string escape code' };
  }
  source.at += 1;
  return undefined;
};

/** Reads the four digits of an escape; `source.at` is then the last of them. */
function readDigits(source: Source): Wrong | undefined {
  for (const end = source.at + 4; source.at < end; ) {
    source.at += 1;
    if (!/[0-9a-f]/i.test(source.text.charAt(source.at))) return { where: 'in \\u hexadecimal character escape' };
  }
  return undefined;
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';

/** Skips at least one digit. */
function skipDigits(source: Source, where: string): Wrong | undefined {
  if (!isDigit(source.text[source.at])) return { where };
  while (isDigit(source.text[source.at])) source.at += 1;
  return undefined;
}

const readNumber: Read = (source) => {
  if (source.text[source.at] === '-') source.at += 1;
  if (source.text[source.at] === '0') source.at += 1;
  else {
    const wrong = skipDigits(source, 'in numeric literal');
    if (wrong !== undefined) return wrong;
  }
  if (source.text[source.at] === '.') {
    source.at += 1;
    const wrong = skipDigits(source, 'after decimal point in numeric literal');
    if (wrong !== undefined) return wrong;
  }
  if (source.text[source.at]?.toLowerCase() !== 'e') return undefined;
  source.at += 1;
  if ('+-'.includes(source.text[source.at] ?? ' ')) source.at += 1;
  return skipDigits(source, 'in exponent of numeric literal');
};

const readWord =
  (word: string): Read =>
  (source) => {
    for (const letter of word) {
      if (source.text[source.at] !== letter) return { where: `in literal ${word} (expecting '${letter}')` };
      source.at += 1;
    }
    return undefined;
  };

const SCALARS: Readonly<Record<string, Read>> = {
  '"': readText,
  t: readWord('true'),
  f: readWord('false'),
  n: readWord('null'),
  ...Object.fromEntries([...'-0123456789'].map((character) => [character, readNumber])),
};

const NAMES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function messageOf(source: Source, where: string): string {
  const character = source.text[source.at];
  return character === undefined
    ? END
    : `invalid character '${ownMember(NAMES, character) ?? printable(character)}' ${where}`;
}

function printable(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  if (character < ' ' || character === '\x7f') return `\\x${code.padStart(2, '0')}`;
  return (character > '~' && character < '\u00a1') || character === '\u00ad'
    ? `\\u${code.padStart(4, '0')}`
    : character;
}
