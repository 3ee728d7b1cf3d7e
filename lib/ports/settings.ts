/** What the installation was told once. */
export interface Settings {
  /** The word in error codes, header names, event sources and metric names: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** What GET /version answers. */
  readonly version: string;
  /** How long log lines are kept; 30 if not given. */
  readonly retentionDays?: number | undefined;
  /** The most copies of a container that a user may ask to be kept running; 3 if not given. */
  readonly maxScale?: number | undefined;
}
