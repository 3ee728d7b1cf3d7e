import { NAMESPACE_QUOTAS, type NamespaceQuota } from './quotas.ts';

/** The limits beyond which a run fails; a namespace may set each. */
export interface RunLimits {
  /** States that the run enters. */
  readonly transitions: number;
  /** The lines of its log, bytes of text in UTF-8. */
  readonly logBytes: number;
}

/** The limits of the runs of a namespace together, if the namespace sets them. */
export interface StartLimits {
  /** Pending runs at the same time. */
  readonly activeRuns: number;
  /** Runs that are started a second; the starts of ten seconds may come at once. */
  readonly startsPerSecond: number;
}

/** The limits that a namespace may set. */
export type NamespaceLimits = RunLimits & StartLimits & Readonly<Record<NamespaceQuota, number>>;

/** The limits of a run in a namespace that sets none. */
export const DEFAULT_RUN_LIMITS: RunLimits = { transitions: 1_000_000, logBytes: 100 * 1024 * 1024 };

/** The names of the limits of a run, in the order in which they are listed. */
export const RUN_LIMITS = ['transitions', 'logBytes'] as const satisfies readonly (keyof RunLimits)[];

/** The names of the limits of starts. */
export const START_LIMITS = ['activeRuns', 'startsPerSecond'] as const satisfies readonly (keyof StartLimits)[];

/** The names of all limits that a namespace may set. */
export const LIMITS: readonly (keyof NamespaceLimits)[] = [...RUN_LIMITS, ...START_LIMITS, ...NAMESPACE_QUOTAS];

/** The limits after a change: a number sets one, 0 returns to its default value. Undefined: all have theirs. */
export function changeLimits(
  limits: Partial<NamespaceLimits> | undefined,
  changes: Readonly<Partial<Record<keyof NamespaceLimits, number | null | undefined>>>,
): Partial<NamespaceLimits> | undefined {
  const entries = LIMITS.flatMap((name) => {
    const value = changes[name] === undefined ? limits?.[name] : changes[name];
    return value === null || value === undefined || value === 0 ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
