/** What one run may do before it fails; a namespace may set each. */
export interface RunLimits {
  /** States that the run enters. */
  readonly transitions: number;
  /** The lines of its log, bytes of text in UTF-8. */
  readonly logBytes: number;
}

/** The limits of a namespace that sets none. */
export const DEFAULT_RUN_LIMITS: RunLimits = { transitions: 1_000_000, logBytes: 100 * 1024 * 1024 };

/** The names of the limits, in the order in which they are listed. */
export const RUN_LIMITS = ['transitions', 'logBytes'] as const satisfies readonly (keyof RunLimits)[];

/** The limits that differ from the default values, from their stored form; undefined: none does. */
export function limitsFrom(text: unknown): Partial<RunLimits> | undefined {
  return changeLimits(typeof text === 'string' ? (JSON.parse(text) as Partial<RunLimits>) : undefined, {});
}

/** The limits after a change: a number sets one, 0 returns to its default value. Undefined: all have theirs. */
export function changeLimits(
  limits: Partial<RunLimits> | undefined,
  changes: Readonly<Partial<Record<keyof RunLimits, number | null | undefined>>>,
): Partial<RunLimits> | undefined {
  const entries = RUN_LIMITS.flatMap((name) => {
    const value = changes[name] === undefined ? limits?.[name] : changes[name];
    return value === null || value === undefined || value === 0 ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
