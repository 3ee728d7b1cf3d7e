import { type RunFilters, startOf } from '../runs/filters.ts';
import type { BulkOrder, BulkPlan } from './actions.ts';

/** A text quoted as one word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Options of `weft jobs` that select the runs of the filters until a time; undefined where it has none for them. */
function optionsOf(filters: RunFilters, until: string, now: number): readonly string[] | undefined {
  const { workflow, status, trigger, since, label, error } = filters;
  // Only the console filters by a part of a path.
  if (workflow !== '' && !workflow.startsWith('/')) return undefined;
  const values = { workflow, status, trigger, since: startOf(since, now), until, label, code: error };
  return Object.entries(values).flatMap(([name, value]) => (value === '' ? [] : [`--${name}`, quoted(value)]));
}

/**
 * The shell command with the same effect as an action on many runs; undefined if the command line cannot select the same
 * runs. The command skips runs that the action has processed.
 */
export function commandOf(
  { namespace, kind, filters, revision }: BulkOrder,
  { at }: Pick<BulkPlan, 'at'>,
  now: number,
) {
  const status = kind === 'cancel' ? 'pending' : filters.status;
  const options = optionsOf({ ...filters, status }, filters.until === '' ? at : filters.until, now);
  if (options === undefined) return undefined;
  const inside = ['--namespace', quoted(namespace)];
  const latest = kind === 'rerun' && revision === 'latest' ? ['--latest'] : [];
  return [`weft jobs ${kind}`, ...options, ...latest, ...inside, '--yes'].join(' ');
}
