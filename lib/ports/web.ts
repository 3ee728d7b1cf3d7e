/** The reply of a server on the web. */
export interface WebAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body, at most 64 KiB. */
  readonly body: string;
}

/** A server did not reply; the message names the cause for the user, and contains nothing of the request. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Sends requests to servers that users name. A redirect is a reply; it is not followed. */
export interface Web {
  /** Throws UnreachableError, also for an address that users may not reach, and after `ms` milliseconds. */
  get(url: string, headers: Readonly<Record<string, string>>, ms: number): Promise<WebAnswer>;
}
