import { UnknownOutcomeError } from './operations/run.ts';

/** Numbers are of few enough digits to mean one double and one decimal; `..` and `?//` are out. */
const TOKEN =
  /[ \n\r\t]*(?:(\.[A-Za-z_]\w*|\d{1,15}(?:\.\d{1,9})?(?![\w.])|"|\$?[A-Za-z_]\w*|\.(?!\.)|\?(?!\/\/)|\/\/=?|[=!<>+*/%|-]=|[|,;()[\]{}:+*/%<>=-])|$)/uy;

/** A stretch of a text up to its end or an interpolation. */
const STRETCH = /((?:[^"\\\p{Cc}\ufffd]|\\["\\/bfnrt]|\\u(?![fF]{3}[dD]|[dD][89a-fA-F])[\da-fA-F]{4})*)("|\\\()/uy;

/** How the tokens of an interpolation begin and end; behind it the text goes on. */
export const OPEN = '\\(';
export const CLOSE = '\\)';

/**
 * The tokens of a program; a text is a quote and the characters it means, with interpolations between its stretches.
 * Throws UnknownOutcomeError for what it does not know.
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
  const scanText = (): void => {
    const [, stretch, end] = match(STRETCH);
    tokens.push(`"${JSON.parse(`"${stretch}"`)}`);
    if (end !== OPEN) return;
    tokens.push(OPEN);
    brackets.push(CLOSE);
  };
  while (at < program.length) {
    const [, token] = match(TOKEN);
    if (token === '"') scanText();
    else if (token === ')' && brackets.pop() === CLOSE) {
      tokens.push(CLOSE);
      scanText();
    } else if (token !== undefined) tokens.push(token);
    if (token === '(') brackets.push(token);
  }
  return tokens;
}

/** The tokens of a program, one after the other; the end is an empty one. */
export class Tokens {
  readonly #list: readonly string[];
  #next = 0;

  constructor(program: string) {
    if (!program.isWellFormed()) throw new UnknownOutcomeError();
    this.#list = scan(program);
  }

  get next(): string {
    return this.#list[this.#next] ?? '';
  }

  take(): string {
    const token = this.next;
    this.#next += 1;
    return token;
  }

  accept(token: string): boolean {
    const isNext = this.next === token;
    if (isNext) this.#next += 1;
    return isNext;
  }

  expect(token: string): void {
    if (!this.accept(token)) throw new UnknownOutcomeError();
  }
}
