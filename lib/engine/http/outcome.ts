import type { SentCall } from '../../domain/runs/records.ts';
import type { ContainerFile } from '../../ports/containers.ts';
import type { RunnerPorts } from '../ports.ts';

/** How a native function failed, as its caller sees it. */
export interface NativeFailure {
  /** The full error code, with the brand if it is one of Weft's. */
  readonly code: string;
  readonly message: string;
  /** How long a retry waits at least, milliseconds: the server asked for it. */
  readonly retryAfter?: number;
}

/** The outcome of a native function: its value or its failure, and the call that it sent outside. */
export type Outcome = ({ readonly value: unknown } | { readonly failure: NativeFailure }) & {
  readonly sent?: Omit<SentCall, 'ms'>;
};

/** One call of a native function. */
export interface NativeContext {
  readonly ports: RunnerPorts;
  readonly namespaceId: string;
  readonly namespace: string;
  /** The same for every repetition and retry of the call. */
  readonly key: string;
  /** The id of this attempt. */
  readonly id: string;
  /** Names the trace and the span of the call to the called system (W3C Trace Context). */
  readonly traceparent: string;
  /** When the caller stops waiting, milliseconds since 1970. */
  readonly until: number;
  /** Reads the files that the action gives to the function, at most so many bytes in all. Throws StateError. */
  readonly readFiles: (mostBytes?: number) => Promise<readonly ContainerFile[]>;
  /** Aborted when the result is not needed any more. */
  readonly signal?: AbortSignal;
}

/** Does the work of a native function for its prepared input. Never throws for a fault of the called system. */
export type NativeFunction = (context: NativeContext, input: unknown) => Promise<Outcome>;
