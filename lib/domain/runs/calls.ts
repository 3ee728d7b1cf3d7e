import type { FileType } from '../../ports/containers.ts';

/** A variable, or a file of the tree, that a container gets as a file. */
export interface WantedFile {
  /** The name of the variable; of the scope `file` a path in the tree, as written in the workflow. */
  readonly key: string;
  readonly scope: 'instance' | 'workflow' | 'namespace' | 'thread' | 'file';
  /** Its path below the container's directory. */
  readonly name: string;
  readonly type: FileType;
  /** The mode of the file, or of the directory that an archive becomes; undefined: everything is allowed. */
  readonly mode?: number;
}

/** A container that is called. */
export interface ContainerCallee {
  readonly kind: 'container';
  /** The revision of the service: its id in the port `Containers`. */
  readonly revision: string;
}

/** A function of Weft itself, which it calls over HTTP, as a Lambda function, by SMTP, or in place of a container. */
export interface NativeCallee {
  readonly kind: 'native' | 'http' | 'lambda' | 'mail';
  /** Its name in the table of native functions. */
  readonly function: string;
  /** The idempotency key: the same for all attempts and repetitions of the call. */
  readonly key: string;
  /** A state machine of its own makes the call. */
  readonly byMachine?: true;
}

/** A task that a worker takes for a while. */
export interface Lease {
  /** Names the lease: only its holder knows it. */
  readonly id: string;
  /** The name of the worker, as it gave it. */
  readonly worker: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A worker, which fetches the call as a task over HTTP. */
export interface WorkerCallee {
  readonly kind: 'worker';
  readonly queue: string;
  readonly priority: number;
  /** How long a worker may be silent, milliseconds. */
  readonly leaseMs: number;
  /** The idempotency key: the same for all attempts and repetitions of the call. */
  readonly key: string;
  /** How often it was taken. */
  readonly taken: number;
  /** The newest lease; it is kept after the end. */
  readonly lease?: Lease;
  /** It is not offered before, milliseconds since 1970. */
  readonly notBefore?: number;
}

/** The callee of a call that is no subflow. */
export type StoredCallee = ContainerCallee | NativeCallee | WorkerCallee;

/** The limits of the function that a call is of: the name of their scope, and the values of their keys as texts. */
export interface CallScope {
  readonly scope: string;
  /** That of the key of `concurrency`; empty without one. */
  readonly key: string;
  /** That of the key of `rate`; empty without one. */
  readonly rateKey: string;
  /** The limits over which a call is refused; others it waits for. */
  readonly refusing?: readonly ('concurrency' | 'rate')[];
}

/** The place from which a call is made, and its bounds. */
export interface CallSite {
  /** The id of the calling instance. */
  readonly caller: string;
  readonly workflow: { readonly id: string; readonly path: string };
  /** The state that calls. */
  readonly state: string;
  /** The caller's step. */
  readonly step: number;
  /** The number of the element, in a loop over elements. */
  readonly iterator?: number;
  /** The deadline of the call, milliseconds since 1970. */
  readonly until: number;
  readonly files: readonly WantedFile[];
  /** Absent: its function has none. */
  readonly limits?: CallScope;
}
