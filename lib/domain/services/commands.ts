import { ServiceError } from '../errors.ts';

/** The quote that is open. */
type Quote = '"' | "'" | undefined;

const SPACE = /\s/;
/** The characters that a backslash escapes between double quotes; before any other it is a backslash. */
const ESCAPED_IN_DOUBLE = new Set(['"', '\\', '$', '`', '\n']);

/** Splits characters into words. */
class Splitter {
  readonly words: string[] = [];
  #word: string | undefined;
  #quote: Quote;

  /** Processes a character, of which `next` is the following one. Returns the number of characters processed. */
  take(character: string, next: string | undefined): number {
    if (this.#quote !== undefined && character === this.#quote) this.#quote = undefined;
    else if (this.#quote === undefined && SPACE.test(character)) this.end();
    else if (this.#quote === undefined && (character === '"' || character === "'")) this.#open(character);
    else if (this.#isEscape(character, next)) return this.#takeEscaped(next);
    else this.#add(character);
    return 1;
  }

  /** Ends the current word. Two quotes with nothing between them are a word. */
  end(): void {
    if (this.#word !== undefined) this.words.push(this.#word);
    this.#word = undefined;
  }

  get quote(): Quote {
    return this.#quote;
  }

  #open(quote: '"' | "'"): void {
    this.#quote = quote;
    this.#add('');
  }

  #isEscape(character: string, next: string | undefined): boolean {
    if (character !== '\\' || this.#quote === "'") return false;
    return this.#quote === undefined || next === undefined || ESCAPED_IN_DOUBLE.has(next);
  }

  #takeEscaped(next: string | undefined): number {
    if (next === undefined)
      throw new ServiceError('invalid', 'cmd ends in a backslash, which needs a character after it');
    // An escaped line break continues the line.
    this.#add(next === '\n' ? '' : next);
    return 2;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }
}

/**
 * Splits a command into words as a shell does, with white space, quotes and backslashes; without variables, pipes or
 * patterns. Throws `invalid` for a quote that is not closed, and a backslash at the end.
 */
export function toWords(command: string): readonly string[] {
  const characters = [...command];
  const splitter = new Splitter();
  for (let at = 0; at < characters.length; ) at += splitter.take(characters[at] ?? '', characters[at + 1]);
  splitter.end();
  if (splitter.quote === undefined) return splitter.words;
  throw new ServiceError('invalid', `cmd has a quote ${splitter.quote} that is not closed`);
}

/** A command as replies show it (rest-api reference, 11.1). */
export const shownCommand = (words: readonly string[]): string => words.join(', ');
