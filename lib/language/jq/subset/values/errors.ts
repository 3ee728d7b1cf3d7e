/**
 * The subset cannot guarantee jq's outcome: the program or the data needs a feature that it lacks, or a limit is
 * reached. The caller evaluates the program by jq-wasm.
 */
export class UnknownOutcomeError extends Error {
  override readonly name: string = 'UnknownOutcomeError';
}

/**
 * jq certainly fails at this point; `?` and `try` catch it. For a whole program it has the same effect as
 * UnknownOutcomeError, because only jq-wasm has the text of the error message.
 */
export class JqError extends UnknownOutcomeError {
  override readonly name = 'JqError';
}
