/** The settings of the installation. */
export interface Settings {
  /** The word in error codes, header names, event sources and metric names: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** What GET /version returns. */
  readonly version: string;
  /** How long log lines are kept, days; the default is 30. */
  readonly retentionDays?: number | undefined;
  /** The maximum of `minScale` of a container service; the default is 3. */
  readonly maxScale?: number | undefined;
}
