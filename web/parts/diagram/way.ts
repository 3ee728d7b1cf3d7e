/** The path of a run through the states. */
export interface Way {
  /** How often each state was entered. */
  readonly visits: ReadonlyMap<string, number>;
  /** How often each edge was taken, by `from>to`. */
  readonly taken: ReadonlyMap<string, number>;
  readonly current: string | undefined;
  /** Whether the current state runs or waits, or how the run ended there. */
  readonly mood: 'running' | 'waiting' | 'complete' | 'failed';
}
