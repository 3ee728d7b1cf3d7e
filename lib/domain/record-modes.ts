/** What the record of a run keeps: `full`: states and their data; `flow`: states without data; `none`: nothing. */
export const RECORD_MODES = ['full', 'flow', 'none'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];
