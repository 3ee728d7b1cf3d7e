/** The answer of a server somewhere. */
export interface WebAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's beginning, at most 64 KiB of it. */
  readonly body: string;
}

/** A server did not answer; the message says why, in words for the user, and holds nothing that was sent. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Asks servers that users name. Redirects are answers. */
export interface Web {
  /** Throws UnreachableError, also for addresses that are not for users to reach, and after `ms` milliseconds. */
  get(url: string, headers: Readonly<Record<string, string>>, ms: number): Promise<WebAnswer>;
}
