/** The modes of the record of a run. `full`: states and their data; `flow`: states without data; `none`: no record. */
export const RECORD_MODES = ['full', 'flow', 'none'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];
