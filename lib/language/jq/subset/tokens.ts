import { UnknownOutcomeError } from './values/errors.ts';

/** A token. Numbers have few enough digits to be one double and one decimal; `..` and `?//` are not supported. */
const TOKEN =
  /[ \n\r\t]*(?:(\.[A-Za-z_]\w*|\d{1,15}(?:\.\d{1,9})?(?![\w.])|"|\$?[A-Za-z_]\w*|\.(?!\.)|\?(?!\/\/)|\/\/=?|[=!<>+*/%|-]=|[|,;()[\]{}:+*/%<>=-])|$)/uy;

/** A segment of a string, up to its end or to an interpolation. */
const STRING_SEGMENT =
  /((?:[^"\\\p{Cc}\ufffd]|\\["\\/bfnrt]|\\u(?![fF]{3}[dD]|[dD][89a-fA-F])[\da-fA-F]{4})*)("|\\\()/uy;

/** The token at which an interpolation begins; the string goes on after `CLOSE`. */
export const OPEN = '\\(';

/** The token at which an interpolation ends. */
export const CLOSE = '\\)';

/**
 * Returns the tokens of a program. The token of a string segment is a quote and the decoded characters. Throws
 * UnknownOutcomeError for syntax outside the subset.
 */
function scan(program: string): string[] {
  const tokens: string[] = [];
  const brackets: string[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = at;
    const found = pattern.exec(program);
    if (found === null) throw new UnknownOutcomeError();
    at = pattern.lastIndex;
    return found;
  };
  const scanString = (): void => {
    const [, segment, end] = match(STRING_SEGMENT);
    tokens.push(`"${JSON.parse(`"${segment}"`)}`);
    if (end !== OPEN) return;
    tokens.push(OPEN);
    brackets.push(CLOSE);
  };
  while (at < program.length) {
    const [, token] = match(TOKEN);
    if (token === '"') scanString();
    else if (token === ')' && brackets.pop() === CLOSE) {
      tokens.push(CLOSE);
      scanString();
    } else if (token !== undefined) tokens.push(token);
    if (token === '(') brackets.push(token);
  }
  return tokens;
}

/** The tokens of a program, read one after the other. An empty token is the end. */
export class Tokens {
  readonly #all: readonly string[];
  #next = 0;

  /** Throws UnknownOutcomeError for syntax outside the subset. */
  constructor(program: string) {
    if (!program.isWellFormed()) throw new UnknownOutcomeError();
    this.#all = scan(program);
  }

  /** The next token, which stays the next one. */
  get next(): string {
    return this.#all[this.#next] ?? '';
  }

  /** Consumes and returns the next token. */
  take(): string {
    const token = this.next;
    this.#next += 1;
    return token;
  }

  /** Consumes the next token if it is this one, and returns whether it was. */
  accept(token: string): boolean {
    const isNext = this.next === token;
    if (isNext) this.#next += 1;
    return isNext;
  }

  /** Consumes this token. Throws UnknownOutcomeError if it is not the next one. */
  expect(token: string): void {
    if (!this.accept(token)) throw new UnknownOutcomeError();
  }
}
