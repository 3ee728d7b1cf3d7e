import type { Run } from './run.ts';

/** The least depth from which a run stores its path: the ids of nearer callers are in the run already. */
export const STORED_DEPTH = 3;

const CALLER = 'instance:';

/** The ids of the callers of a run from the top, each after a slash; `/` for a run without a caller. */
export function callPathOf({ callPath, root, invoker }: Pick<Run, 'callPath' | 'root' | 'invoker'>): string {
  if (callPath !== undefined) return callPath;
  if (root === undefined || !invoker.startsWith(CALLER)) return '/';
  const caller = invoker.slice(CALLER.length);
  return caller === root ? `/${root}` : `/${root}/${caller}`;
}

/** The path that a child stores: undefined for one whose path follows from its other fields. */
export function storedCallPath(
  caller: Pick<Run, 'id' | 'depth' | 'callPath' | 'root' | 'invoker'>,
): string | undefined {
  if (caller.depth + 1 < STORED_DEPTH) return undefined;
  return `${callPathOf(caller)}/${caller.id}`;
}
