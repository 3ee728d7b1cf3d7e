import { readAs } from '../../../lib/domain/tree/reading.ts';
import type { SentFinding } from '../../../lib/lint/findings.ts';
import type { Ports } from '../../../lib/ports/ports.ts';

/**
 * Returns everything that the linter finds in a source; no error for a text that can be stored. Throws `invalid` for a
 * text that takes too much work.
 */
export function findingsIn(ports: Partial<Ports>, tenant: string, source: string): Promise<readonly SentFinding[]> {
  // The linter is loaded when it is first needed: most requests of its Lambda function do not need it.
  return readAs(ports, { tenant, source }, { as: 'findings' }, async () => {
    const { findingsOf } = await import('../../../lib/lint/findings.ts');
    return findingsOf(source);
  });
}

/**
 * Returns the warnings about a source that was stored, as a part of the reply; nothing without warnings, and nothing for
 * the brand `direktiv`, whose clients may expect the original's reply exactly.
 */
export async function withWarnings(
  ports: Partial<Ports> & Pick<Ports, 'settings'>,
  tenant: string,
  source: string,
): Promise<{ readonly warnings?: readonly SentFinding[] }> {
  if (ports.settings.brand === 'direktiv') return {};
  const warnings = (await findingsIn(ports, tenant, source)).filter(({ severity }) => severity === 'warning');
  return warnings.length === 0 ? {} : { warnings };
}
