/** What files say that a namespace should hold. Paths are those of the tree, without a slash at either end. */
export interface Wanted {
  /** What only an archive knows. */
  readonly namespace?: {
    readonly config: unknown;
    readonly secrets: readonly string[];
    readonly registries: readonly string[];
    /** Name and image of each. */
    readonly services: readonly string[];
  };
  readonly variables: readonly WantedVariable[];
  /** Parents before their children. */
  readonly directories: readonly WantedDirectory[];
  readonly workflows: readonly WantedWorkflow[];
}

export interface WantedVariable {
  readonly name: string;
  /** Where the value is on this machine. */
  readonly file: string;
  readonly size: number;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  /** Undefined: as the service finds out, or as it is. */
  readonly mimeType?: string;
}

export interface WantedDirectory {
  readonly path: string;
  readonly attributes: readonly string[];
}

export interface WantedRevision {
  readonly file: string;
  /** SHA-256 of the source, hexadecimal: what is the same revision on every server. */
  readonly hash: string;
  /** It has a name of its own that outlives the next update. */
  readonly isSaved: boolean;
  /** What it was called where it comes from. */
  readonly ids: readonly string[];
}

export interface Route {
  /** `latest`, a tag, or what a saved revision was called. */
  readonly ref: string;
  readonly weight: number;
}

/** What a file of YAML does not say. */
export interface Settings {
  readonly live: boolean;
  readonly logger: string;
  readonly attributes: readonly string[];
  /** Tag -> hash of its revision. */
  readonly tags: Readonly<Record<string, string>>;
  readonly routes: readonly Route[];
}

export interface WantedWorkflow {
  readonly path: string;
  /** No two of the same source; the last is the latest. */
  readonly revisions: readonly WantedRevision[];
  readonly variables: readonly WantedVariable[];
  readonly settings?: Settings;
}

/** The revision that runs when none is named. */
export function latestOf({ path, revisions }: Pick<WantedWorkflow, 'path' | 'revisions'>): WantedRevision {
  const latest = revisions.at(-1);
  if (latest === undefined) throw new Error(`the workflow ${path} has no revision`);
  return latest;
}

/** The directories above a path, the outermost first: `a` and `a/b` of `a/b/c`. */
export function parentsOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}
