/** How a native function failed, as its caller sees it. */
export interface NativeFailure {
  /** The full error code, with the brand if it is one of Weft's. */
  readonly code: string;
  readonly message: string;
  /** How long a retry waits at least, milliseconds: the server asked for it. */
  readonly retryAfter?: number;
}

/** What a native function comes to. */
export type Outcome = { readonly value: unknown } | { readonly failure: NativeFailure };
