import type { Settings } from '../../ports/settings.ts';
import { START_LIMITS, type StartLimits } from '../run-limits.ts';

/**
 * The limits of a namespace that all processes count in the table: those that the namespace sets and, if the table counts
 * them (`countedBy`), those of the installation. Of two, the lower.
 */
export function limitsInTable(
  { limits: ofInstallation }: Pick<Settings, 'limits'>,
  ofNamespace: Partial<StartLimits> = {},
): Partial<StartLimits> {
  const shared = ofInstallation?.countedBy === 'table' ? ofInstallation : {};
  const entries = START_LIMITS.flatMap((name) => {
    const given = [shared[name], ofNamespace[name]].filter((limit) => limit !== undefined);
    return given.length === 0 ? [] : [[name, Math.min(...given)] as const];
  });
  return Object.fromEntries(entries);
}
