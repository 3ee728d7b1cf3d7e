// The port by which container images run. All of it is for the world through lib/ports.ts.

/** What opens a container registry. */
export interface RegistryCredentials {
  /** As the user gave it: `https://docker.io`. */
  readonly url: string;
  readonly user: string;
  readonly token: string;
}

/** One revision of a container service, as it is to run. */
export interface ContainerRevision {
  /** Unique in the installation, at most 63 characters of [a-z0-9-]. */
  readonly id: string;
  readonly image: string;
  /** In place of the image's own command; empty: the image's own. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Small, medium, large. */
  readonly size: 0 | 1 | 2;
  /** How many are kept running though nobody calls. */
  readonly minScale: number;
  /** Tried in this order. */
  readonly credentials: readonly RegistryCredentials[];
}

/** One running copy of a revision. */
export interface Pod {
  readonly name: string;
  readonly status: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
}

/** How far a revision is. `failed` stays so until it is prepared again. */
export interface RevisionStatus {
  readonly id: string;
  readonly state: 'preparing' | 'ready' | 'failed';
  /** One word for why it failed, and the words for the user; empty otherwise. */
  readonly reason: string;
  readonly message: string;
  readonly pods: readonly Pod[];
}

export type FileType = 'plain' | 'base64' | 'tar' | 'tar.gz';
export type OutputScope = 'namespace' | 'workflow' | 'instance';
/** Of `file` the key is a path in the tree; it is never written. */
export type ReadScope = OutputScope | 'file';

/** What a container finds in its temporary directory. */
export interface ContainerFile {
  /** Its path below the directory. */
  readonly name: string;
  readonly type: FileType;
  readonly bytes: Uint8Array;
}

/** What a container left in its output directory: a file, or a directory as tar.gz. */
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
  /** When it is given up, milliseconds since 1970. */
  readonly deadline: number;
  /** JSON. */
  readonly input: Uint8Array;
  readonly files: readonly ContainerFile[];
  /** What the container asks for while it runs. */
  readonly host: ContainerHost;
}

export interface ContainerHost {
  /** Resolves when there is room for more. What cannot be written yet is written when the call is over. */
  log(text: string): Promise<void>;
  /** Undefined: there is none. */
  variable(scope: ReadScope, key: string): Promise<Uint8Array | undefined>;
  setVariable(scope: OutputScope, key: string, bytes: Uint8Array, mimeType: string | undefined): Promise<void>;
}

/** What a call came to; the outputs count in either case. */
export interface ContainerResult {
  /** The answer's body; empty after a failure. */
  readonly body: Uint8Array;
  /** What the container says went wrong; without a code it is a crash. */
  readonly failure?: { readonly code: string; readonly message: string };
  readonly outputs: readonly ContainerOutput[];
}

/** Runs container images. */
export interface Containers {
  /** Why none can run here, in words for the user; undefined: they can. */
  problem(): Promise<string | undefined>;
  /** Begins to make a revision runnable and keeps it so; the same id again changes nothing unless it failed. */
  prepare(revision: ContainerRevision): Promise<void>;
  /** In the order asked; undefined: it was never prepared, or is removed. */
  status(ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]>;
  /** Waits for a revision that is on its way, and calls it. What goes wrong around it is a failure without a code. */
  call(id: string, call: ContainerCall): Promise<ContainerResult>;
  /** Tells the container that nobody waits for the call any longer; it ends soon after. */
  cancel(id: string, actionId: string): Promise<void>;
  /** Stops it and forgets it; one that is not there is fine. */
  remove(id: string): Promise<void>;
  /** What a pod wrote to its output from a byte on, and where that ends; undefined: there is no such pod. */
  output(pod: string, from: number): Promise<{ readonly text: string; readonly end: number } | undefined>;
}
