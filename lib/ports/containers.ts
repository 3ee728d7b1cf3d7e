/** The credentials of a container registry. */
export interface RegistryCredentials {
  /** As the user gave it: `https://docker.io`. */
  readonly url: string;
  readonly user: string;
  readonly token: string;
}

/** One revision of a container service: the image and how it runs. */
export interface ContainerRevision {
  /** Unique in the installation, at most 63 characters of [a-z0-9-]. */
  readonly id: string;
  readonly image: string;
  /** Replaces the command of the image; empty: the command of the image. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Small, medium, large. */
  readonly size: 0 | 1 | 2;
  /** The number of copies that run without a call. */
  readonly minScale: number;
  /** The namespace whose calls it serves; absent for a service of the installation. */
  readonly tenant?: { readonly id: string; readonly name: string };
  /** Tried in this order. */
  readonly credentials: readonly RegistryCredentials[];
}

/** One running copy of a revision. */
export interface Pod {
  readonly name: string;
  readonly status: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
}

/** The state of a revision. `failed` is final until the revision is prepared again. */
export interface RevisionStatus {
  readonly id: string;
  readonly state: 'preparing' | 'ready' | 'failed';
  /** Why it failed: one word, and a message for the user; both empty otherwise. */
  readonly reason: string;
  readonly message: string;
  readonly pods: readonly Pod[];
}

/** How the bytes of a file are encoded; an archive is unpacked into a directory. */
export type FileType = 'plain' | 'base64' | 'tar' | 'tar.gz';

/** The scopes of variables that a container can write. */
export type OutputScope = 'namespace' | 'workflow' | 'instance';

/** The scopes that a container can read. In the scope `file` the key is a path in the tree, which is read-only. */
export type ReadScope = OutputScope | 'file';

/** A file in the temporary directory of a container. */
export interface ContainerFile {
  /** Its path below the directory. */
  readonly name: string;
  readonly type: FileType;
  /** The mode of the file, or of the directory that an archive becomes; undefined: everything is allowed. */
  readonly mode?: number;
  readonly bytes: Uint8Array;
}

/** A file that a container left in its output directory; a directory is a tar.gz archive. */
export interface ContainerOutput {
  readonly scope: OutputScope;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A call of a container (workflow-language reference, 11). */
export interface ContainerCall {
  readonly actionId: string;
  readonly instanceId: string;
  readonly namespace: string;
  readonly step: number;
  /** The number of the element, in a loop over elements. */
  readonly iterator?: number;
  /** The trace that the call belongs to, and its span (W3C). */
  readonly traceparent: string;
  /** When the call times out, milliseconds since 1970. */
  readonly deadline: number;
  /** JSON. */
  readonly input: Uint8Array;
  readonly files: readonly ContainerFile[];
  /** Serves the requests of the container while it runs. */
  readonly host: ContainerHost;
}

/** The service's side of a call: the requests that a container can make while it runs. */
export interface ContainerHost {
  /** Resolves when more can be accepted. Lines that cannot be written yet are written at the end of the call. */
  log(text: string): Promise<void>;
  /** Returns undefined when there is no such variable. */
  variable(scope: ReadScope, key: string): Promise<Uint8Array | undefined>;
  setVariable(scope: OutputScope, key: string, bytes: Uint8Array, mimeType: string | undefined): Promise<void>;
}

/** The result of a call. The outputs are stored whether it failed or not. */
export interface ContainerResult {
  /** The body of the reply; empty after a failure. */
  readonly body: Uint8Array;
  /** The error that the container reported; with an empty code it is a crash. */
  readonly failure?: { readonly code: string; readonly message: string };
  readonly outputs: readonly ContainerOutput[];
}

/** Runs container images. */
export interface Containers {
  /** Returns why no container can run here, as a message for the user; undefined when they can. */
  problem(): Promise<string | undefined>;
  /** Starts to make a revision runnable. Idempotent by id; a failed revision is prepared again. */
  prepare(revision: ContainerRevision): Promise<void>;
  /** Returns statuses in the order of the ids; undefined for a revision that was never prepared, or was removed. */
  status(ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]>;
  /**
   * Calls a revision, after waiting until it is ready. A failure outside the container, such as a deadline, is a failure
   * with an empty code.
   */
  call(id: string, call: ContainerCall): Promise<ContainerResult>;
  /** Sends the container a cancellation of the call; the call ends soon after. */
  cancel(id: string, actionId: string): Promise<void>;
  /** Stops and deletes a revision. Has no effect when there is none with that id. */
  remove(id: string): Promise<void>;
  /** Returns the output of a pod from byte `from` on, and where it ends; undefined when there is no such pod. */
  output(pod: string, from: number): Promise<{ readonly text: string; readonly end: number } | undefined>;
}
