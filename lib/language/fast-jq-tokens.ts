import { Unsure } from './fast-jq-values.ts';

/** Numbers are of few enough digits to mean one double and one decimal; strings hold no escape; `..`, `?//` are out. */
const TOKEN =
  /[ \n\r\t]*(?:(\.[A-Za-z_]\w*|\d{1,15}(?:\.\d{1,9})?(?![\w.])|"[^"\\\p{Cc}\ufffd]*"|[A-Za-z_]\w*|\.(?!\.)|\?(?!\/\/)|\/\/|[=!<>+-]=|[|,()[\]{}:+<>=-])|$)/uy;

/** The tokens of a program, one after the other; the end is an empty one. Throws Unsure for what it does not know. */
export class Tokens {
  readonly #list: string[] = [];
  #next = 0;

  constructor(program: string) {
    for (TOKEN.lastIndex = 0; TOKEN.lastIndex < program.length; ) {
      const found = TOKEN.exec(program);
      if (found === null) throw new Unsure();
      if (found[1] !== undefined) this.#list.push(found[1]);
    }
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
    if (!this.accept(token)) throw new Unsure();
  }
}
