import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import type { Paint, TestReport } from './report.ts';
import { textReport } from './text.ts';

/** Formats the results of tests. */
export type ReportFormat = (report: TestReport, paint: Paint) => string;

/** The formats of `weft test` by their names. */
export const REPORT_FORMATS = {
  text: textReport,
  json: jsonReport,
  junit: junitReport,
} as const satisfies Readonly<Record<string, ReportFormat>>;
