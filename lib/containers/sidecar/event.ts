/**
 * A call as Lambda hands it to a container. Frames (frames.ts) that are too large for it are behind an address; so are
 * those that come later, and the object whose being there says that nobody waits for the call any longer.
 */
export interface CallEvent {
  readonly weft: 'call';
  readonly actionId: string;
  /** When it is given up, milliseconds since 1970, and what is said then. */
  readonly deadline: number;
  readonly late: string;
  /** The first frames in base64, or the address where they are. */
  readonly frames: { readonly base64: string } | { readonly url: string };
  /** Where the next ones will be; each message names the place of the one after it. */
  readonly next: string;
  readonly cancel: string;
}

/** The first frame of a later message. */
export interface Continuation {
  readonly do: 'next';
  readonly url: string;
}
