// The messages between the service and a sidecar. Each is the head of a frame (frames.ts); the body of the frame is
// described with the message. The field names are the protocol (PROTOCOL_VERSION): sidecars in older images know them.

/** The type of an entry in a directory. */
export type EntryKind = 'file' | 'directory';

/** From the service to the sidecar. `id` is the id of an action, except in `probe` and `answer`. */
export type HostMessage =
  /** Report whether the function accepts connections within `ms` milliseconds. */
  | { readonly do: 'probe'; readonly id: number; readonly ms: number }
  /** Place a file (the body) or a directory into the temporary directory of the call that follows. */
  | {
      readonly do: 'file';
      readonly id: string;
      readonly path: string;
      readonly kind: EntryKind;
      readonly isExecutable: boolean;
      /** The mode of the entry; absent: everything is allowed, except to run a file that is not executable. */
      readonly mode?: number;
    }
  /** Call the function with the body. */
  | { readonly do: 'call'; readonly id: string; readonly headers: Readonly<Record<string, string>> }
  /** Cancel the call: notify the function, and abort its request after `ms` milliseconds. */
  | { readonly do: 'cancel'; readonly id: string; readonly ms: number }
  /** The response to an `ask`: the status, and the text or bytes for the function in the body. */
  | { readonly do: 'answer'; readonly id: number; readonly status: number };

/** A request of a function to the service. */
export type HostRequest =
  | { readonly what: 'log' }
  | { readonly what: 'get'; readonly scope: string; readonly key: string }
  | { readonly what: 'set'; readonly scope: string; readonly key: string; readonly mimeType?: string };

/** A part of an output: the whole output (with an empty path), or an entry of an output that is a directory. */
export interface OutputPart {
  readonly scope: string;
  readonly name: string;
  readonly path: string;
  readonly kind: EntryKind;
  readonly isExecutable: boolean;
}

/** The answer of a function. `problem`: why there is none, or the mistake in its outputs. */
export interface FunctionAnswer {
  readonly status: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly problem: string;
  /** The connection to the function was lost: it may have ended. */
  readonly isLost?: boolean;
  /** The function did not accept the connection, so it has received no part of the call. */
  readonly isRefused?: boolean;
}

/** From the sidecar to the service. */
export type SidecarMessage =
  | { readonly say: 'ready' }
  | { readonly say: 'probed'; readonly id: number; readonly isUp: boolean }
  /** The function logs (the body), reads a variable, or sets it (to the body). It waits for the response. */
  | { readonly say: 'ask'; readonly id: number; readonly actionId: string; readonly asked: HostRequest }
  /** The function logs (the body). It has its response already. */
  | { readonly say: 'log'; readonly id: string }
  /** Keep-alive; it also flushes the messages before it. */
  | { readonly say: 'alive' }
  | { readonly say: 'output'; readonly id: string; readonly part: OutputPart }
  /** The last message of a call; the body is the function's answer. */
  | { readonly say: 'done'; readonly id: string; readonly answered: FunctionAnswer };

/** The most bytes of an answer, a variable or an output (workflow-language reference, 11.3 and 12). */
export const MAX_BYTES = 128 * 1024 * 1024;

/** The problem of a call that was cancelled. */
export const CANCELLED = 'the call was cancelled';
/** The problem of a call that reached its deadline. */
export const LATE = 'the call was not answered before its deadline';
/** The problem of a call that reached the limit of AWS Lambda. */
export const TOO_LONG = 'the container did not answer within 14 minutes, the longest that AWS Lambda leaves it';

/** The answer of a call that failed with this problem. */
export function failedAnswer(problem: string): FunctionAnswer {
  return { status: 0, errorCode: '', errorMessage: '', problem };
}

/** A header under both brands (workflow-language reference, 11). */
export function brandedHeaders(name: string, value: string): Record<string, string> {
  return { [`Direktiv-${name}`]: value, [`Service-${name}`]: value };
}
