import { formatProblem } from '../../../lib/language/problem.ts';
import type { Finding } from '../../../lib/lint/lint.ts';

/** The linter is loaded when it is first needed: most requests of its Lambda function do not need it. */
const loadLint = () => import('../../../lib/lint/lint.ts');

/** A finding as the API sends it: with its source line and a caret, and the page of its rule. */
interface SentFinding extends Finding {
  readonly text: string;
  readonly docs: string;
}

/** Returns everything that the linter finds in a source; no error for a text that can be stored. */
export async function findingsIn(source: string): Promise<readonly SentFinding[]> {
  const { docsOf, lint } = await loadLint();
  return lint(source).map((finding) => ({
    ...finding,
    text: formatProblem(finding, source),
    docs: docsOf(finding.rule),
  }));
}

/**
 * Returns the warnings about a source that was stored, as a part of the reply; nothing without warnings, and nothing for
 * the brand `direktiv`, whose clients may expect the original's reply exactly.
 */
export async function withWarnings(
  brand: string,
  source: string,
): Promise<{ readonly warnings?: readonly SentFinding[] }> {
  if (brand === 'direktiv') return {};
  const warnings = (await findingsIn(source)).filter(({ severity }) => severity === 'warning');
  return warnings.length === 0 ? {} : { warnings };
}
