/** A jq program cannot be parsed. Carries the place in the program and, if it is known, the correction. */
export class JqSyntaxError extends Error {
  override readonly name = 'JqSyntaxError';
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
