/** How long a run may take, and is expected to take: ISO 8601 durations. */
export interface RunTimes {
  /** `handlers` is the time of each chain of `handlers`. */
  readonly timeouts: { readonly interrupt?: string; readonly kill?: string; readonly handlers?: string };
  /** A run that takes longer is late (docs/alerts.md); absent: none is. */
  readonly expected?: { readonly within: string };
}
