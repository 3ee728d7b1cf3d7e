/** What the text of a workflow is read for: its plan or its problems; all findings of the linter; the prices of its runs. */
export type Reading = { readonly as: 'plan' | 'findings' } | { readonly as: 'prices'; readonly items: number };

/** The JSON text of the result, or why the text takes too much work. */
export type TextResult = { readonly text: string } | { readonly error: string };

/**
 * Reads large texts of workflows beside the thread that serves all tenants, with a deadline and a memory cap. Absent where
 * a process serves one request at a time, as on AWS Lambda.
 */
export interface TextReader {
  /** Reads a text when it is the turn of the tenant. */
  read(tenant: string, source: string, reading: Reading): Promise<TextResult>;
}
