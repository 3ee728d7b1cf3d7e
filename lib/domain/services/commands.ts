import { ServiceError } from '../errors.ts';

/** How a character counts: as itself, or as one that means something. */
type Quote = '"' | "'" | undefined;

const SPACE = /\s/;
/** What a backslash takes its meaning from between double quotes; before anything else it is itself there. */
const ESCAPED_IN_DOUBLE = new Set(['"', '\\', '$', '`', '\n']);

class Splitter {
  readonly words: string[] = [];
  #word: string | undefined;
  #quote: Quote;

  take(character: string, next: string | undefined): number {
    if (this.#quote !== undefined && character === this.#quote) this.#quote = undefined;
    else if (this.#quote === undefined && SPACE.test(character)) this.end();
    else if (this.#quote === undefined && (character === '"' || character === "'")) this.#open(character);
    else if (this.#isEscape(character, next)) return this.#takeEscaped(next);
    else this.#add(character);
    return 1;
  }

  /** A word ends; two quotes with nothing between them are a word. */
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
    // A line that goes on.
    this.#add(next === '\n' ? '' : next);
    return 2;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }
}

/**
 * Splits a command as a shell splits a line: words divided by white space, quotes and backslashes. Nothing else of a
 * shell is in it: no variables, pipes or patterns. Throws `invalid` for quotes that are not closed.
 */
export function toWords(command: string): readonly string[] {
  const characters = [...command];
  const splitter = new Splitter();
  for (let at = 0; at < characters.length; ) at += splitter.take(characters[at] ?? '', characters[at + 1]);
  splitter.end();
  if (splitter.quote === undefined) return splitter.words;
  throw new ServiceError('invalid', `cmd has a quote ${splitter.quote} that is not closed`);
}

/** A command as it is read back (rest-api reference, 11.1). */
export const shownCommand = (words: readonly string[]): string => words.join(', ');
