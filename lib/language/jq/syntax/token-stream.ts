import { ownMember } from '../../own-members.ts';
import { JqSyntaxError } from './errors.ts';
import { type Token, type TokenKind, tokensOf } from './lexer.ts';

/** Corrections for tokens that other languages have at such a place. */
const FOREIGN: readonly { readonly before: string; readonly at: string; readonly hint: string }[] = [
  { before: '=', at: '=', hint: 'write ==' },
  { before: '==', at: '=', hint: 'write ==' },
  { before: '|', at: '|', hint: "write 'or'" },
  { before: '<', at: '>', hint: 'write !=' },
  { before: '=', at: '>', hint: 'write >=' },
  { before: '+', at: '+', hint: 'write += 1' },
];

/** Corrections for tokens of jq at the wrong place. */
const OWN_HINTS: Readonly<Record<string, string>> = {
  '"': 'join strings with +',
  '?//': "write a blank between '?' and '//'",
  else: "write 'if … then … else … end'",
  end: "write 'if … then … else … end'",
};

/** The tokens of a program, read one after the other. */
export class TokenStream {
  readonly #all: readonly Token[];
  #next = 0;

  /** Throws JqSyntaxError. */
  constructor(program: string) {
    this.#all = tokensOf(program);
  }

  /** The next token, which stays the next one. */
  get next(): Token {
    return this.#all[this.#next] ?? { kind: 'end', text: '', from: 0, to: 0 };
  }

  /** The end of the token before the next one. */
  get end(): number {
    return this.#all[this.#next - 1]?.to ?? 0;
  }

  /** Consumes and returns the next token. */
  take(): Token {
    const token = this.next;
    this.#next += 1;
    return token;
  }

  /** True if the next token is of this kind and, if a text is given, has it. */
  isAt(kind: TokenKind, text?: string): boolean {
    return this.next.kind === kind && (text === undefined || this.next.text === text);
  }

  /** Consumes the next token if it is this one, and returns whether it was. */
  accept(kind: TokenKind, text?: string): boolean {
    const isNext = this.isAt(kind, text);
    if (isNext) this.#next += 1;
    return isNext;
  }

  /** True if a string follows the next token. */
  isFollowedByString(): boolean {
    return this.#all[this.#next + 1]?.kind === 'quote';
  }

  /** Consumes this token. Throws JqSyntaxError if it is not the next one. */
  expect(kind: TokenKind, text: string): void {
    if (!this.accept(kind, text)) throw this.unexpected(`expected '${text}'`);
  }

  /** The error about the next token. */
  unexpected(expectation?: string): JqSyntaxError {
    const { kind, text, from } = this.next;
    const before = this.#all[this.#next - 1];
    const foreign = FOREIGN.find((row) => row.at === text && row.before === before?.text);
    const what =
      kind === 'end' ? 'the program ends too early' : `unexpected ${kind === 'quote' ? 'string' : `'${text}'`}`;
    const hint = foreign?.hint ?? ownMember(OWN_HINTS, kind === 'quote' ? '"' : text);
    const detail = expectation === undefined ? '' : `, ${expectation}`;
    return new JqSyntaxError(what + detail, kind === 'end' ? Math.max(0, this.end - 1) : from, hint);
  }
}
