/** The desired contents of a namespace. Paths are those of the tree, without a slash at either end. */
export interface DesiredState {
  /** Only in archives. */
  readonly namespace?: {
    readonly config: unknown;
    readonly secrets: readonly string[];
    readonly registries: readonly string[];
    /** Name and image of each. */
    readonly services: readonly string[];
  };
  readonly variables: readonly DesiredVariable[];
  /** Parents before their children. */
  readonly directories: readonly DesiredDirectory[];
  readonly workflows: readonly DesiredWorkflow[];
  /** The directory of the tree that a folder describes; undefined for a file. */
  readonly root?: string;
}

export interface DesiredVariable {
  readonly name: string;
  /** The local file with the value. */
  readonly file: string;
  readonly size: number;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  /** Undefined: the stored type, or the type that the service detects. */
  readonly mimeType?: string;
}

export interface DesiredDirectory {
  readonly path: string;
  readonly attributes: readonly string[];
}

export interface DesiredRevision {
  readonly file: string;
  /** SHA-256 of the source, hexadecimal: it identifies the revision on every server. */
  readonly hash: string;
  /** It is kept after the next update. */
  readonly isSaved: boolean;
  /** Its ids on the server that it was exported from. */
  readonly ids: readonly string[];
}

export interface Route {
  /** `latest`, a tag, or the id of a saved revision. */
  readonly ref: string;
  readonly weight: number;
}

/** The properties of a workflow that are not in its YAML. */
export interface WorkflowSettings {
  readonly live: boolean;
  readonly logger: string;
  readonly attributes: readonly string[];
  /** The hash of the revision of each tag. */
  readonly tags: Readonly<Record<string, string>>;
  readonly routes: readonly Route[];
}

export interface DesiredWorkflow {
  readonly path: string;
  /** Each has another source; the last is the latest. */
  readonly revisions: readonly DesiredRevision[];
  readonly variables: readonly DesiredVariable[];
  readonly settings?: WorkflowSettings;
}

/** The latest revision, which runs if no other is selected. */
export function latestOf({ path, revisions }: Pick<DesiredWorkflow, 'path' | 'revisions'>): DesiredRevision {
  const latest = revisions.at(-1);
  if (latest === undefined) throw new Error(`the workflow ${path} has no revision`);
  return latest;
}

/** The directories above a path, the outermost first: `a` and `a/b` of `a/b/c`. */
export function parentsOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
