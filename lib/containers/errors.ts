/** A condition that ends by itself, such as a server that is busy or does not answer: the operation may be retried. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** A revision cannot run. `reason` is one word for its condition, the message is for the user. */
export class RevisionFailedError extends Error {
  override readonly name = 'RevisionFailedError';
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
