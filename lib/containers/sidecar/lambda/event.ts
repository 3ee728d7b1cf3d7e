/**
 * The event with which Lambda calls a container. Its frames (frames.ts) are behind a URL where they are too large for
 * it. Later frames, and the signal of a cancellation, are objects behind URLs.
 */
export interface CallEvent {
  readonly weft: 'call';
  readonly actionId: string;
  /** Milliseconds since 1970, and the problem that is reported when it is reached. */
  readonly deadline: number;
  readonly late: string;
  /** The first frames in base64, or their URL. */
  readonly frames: { readonly base64: string } | { readonly url: string };
  /** The URL of the next object; each object begins with the URL of the one after it. */
  readonly next: string;
  /** The URL of the object that exists when the call is cancelled. */
  readonly cancel: string;
}

/** The first frame of an object of the channel. */
export interface Continuation {
  readonly do: 'next';
  readonly url: string;
}
