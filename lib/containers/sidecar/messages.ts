// What the service and whatever stands beside a function say to each other. Each is the head of a frame; what its body
// is, is said beside it.

export type EntryKind = 'file' | 'directory';

/** From the service. `id` is an action's id but for `probe` and `answer`. */
export type ToBeside =
  /** Tell when the function accepts connections, or that it did not within so many milliseconds. */
  | { readonly do: 'probe'; readonly id: number; readonly ms: number }
  /** Put a file (its bytes) or a directory into the temporary directory of a call to come. */
  | {
      readonly do: 'file';
      readonly id: string;
      readonly path: string;
      readonly kind: EntryKind;
      readonly isExecutable: boolean;
    }
  /** Call the function with the body. */
  | { readonly do: 'call'; readonly id: string; readonly headers: Readonly<Record<string, string>> }
  /** Nobody waits for the call any longer; break it off after so many milliseconds. */
  | { readonly do: 'cancel'; readonly id: string; readonly ms: number }
  /** The answer to an `ask`: the status and, in the body, the text or bytes for the function. */
  | { readonly do: 'answer'; readonly id: number; readonly status: number };

export type Asked =
  | { readonly what: 'log' }
  | { readonly what: 'get'; readonly scope: string; readonly key: string }
  | { readonly what: 'set'; readonly scope: string; readonly key: string; readonly mimeType?: string };

/** A part of what the function left: the whole output (an empty path), or an entry below an output that is a directory. */
export interface OutputPart {
  readonly scope: string;
  readonly name: string;
  readonly path: string;
  readonly kind: EntryKind;
  readonly isExecutable: boolean;
}

/** What the function answered; `problem`: why it did not, or what is wrong with its outputs. */
export interface Answered {
  readonly status: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly problem: string;
  /** The connection broke: the function may have ended. */
  readonly isLost?: boolean;
}

/** To the service. */
export type FromBeside =
  | { readonly say: 'ready' }
  | { readonly say: 'probed'; readonly id: number; readonly isUp: boolean }
  /** The function logs (the body), or asks for a variable, or sets it (to the body). */
  | { readonly say: 'ask'; readonly id: number; readonly actionId: string; readonly asked: Asked }
  /** The function logs (the body), and has been told that all is well. */
  | { readonly say: 'log'; readonly id: string }
  /** Nothing has happened: the connection is not to be taken for dead, and what was said before is on its way. */
  | { readonly say: 'alive' }
  | { readonly say: 'output'; readonly id: string; readonly part: OutputPart }
  /** The last of a call; the body is the function's answer. */
  | { readonly say: 'done'; readonly id: string; readonly answered: Answered };

/** Most bytes of an answer, a variable or an output (workflow-language reference, 11.3 and 12). */
export const MOST_BYTES = 128 * 1024 * 1024;

/** Why a call was broken off. */
export const CANCELLED = 'the call was cancelled';
export const LATE = 'the call was not answered before its deadline';
export const TOO_LONG = 'the container did not answer within 14 minutes, the longest that AWS Lambda leaves it';

/** An answer that did not come. */
export function unanswered(problem: string): Answered {
  return { status: 0, errorCode: '', errorMessage: '', problem };
}

/** A header in both spellings (workflow-language reference, 11). */
export function spellings(name: string, value: string): Record<string, string> {
  return { [`Direktiv-${name}`]: value, [`Service-${name}`]: value };
}
