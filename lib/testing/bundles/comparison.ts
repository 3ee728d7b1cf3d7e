import { parseJson } from '../../language/json-numbers.ts';
import { changes, shown } from '../matching/differences.ts';
import type { Observation } from '../observation.ts';
import type { Bundle } from './bundle.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** A value without ids, which differ from run to run. */
const withoutIds = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : (parseJson(text.replace(UUID, '<id>')) as unknown);
};

/** The first difference between the paths of two runs, as a text; empty for the same path. */
function wayDifference(recorded: readonly string[], now: readonly string[]): string[] {
  const at = Array.from({ length: Math.max(recorded.length, now.length) }).findIndex(
    (_, index) => recorded[index] !== now[index],
  );
  if (at < 0) return [];
  const name = (state: string | undefined): string => (state === undefined ? 'the end of the run' : `'${state}'`);
  const from = at === 0 ? 'at the start' : `after state ${at}, '${recorded[at - 1]}'`;
  return [`${from}: the run went to ${name(recorded[at])}, the replay goes to ${name(now[at])}`];
}

function callDifferences({ calls }: Bundle, seen: Observation): string[] {
  const recorded = Map.groupBy(calls, (call) => call.function);
  const made = Map.groupBy(seen.calls, (call) => call.function.slice(call.function.lastIndexOf('#') + 1));
  // Calls that had not returned are not recorded: the replay may make more.
  const names = [...new Set([...recorded.keys(), ...made.keys()])].filter((name) => recorded.has(name));
  return names.flatMap((name) => {
    const [was, is] = [recorded.get(name)?.length ?? 0, made.get(name)?.length ?? 0];
    return was <= is ? [] : [`calls of '${name}': in the run ${was} returned, the replay makes ${is}`];
  });
}

function resultDifferences({ outcome }: Bundle, seen: Observation): string[] {
  const errorText = (error: { code: string; message: string } | undefined): string =>
    error === undefined ? '' : `, ${error.code}: ${error.message}`;
  const was = `${outcome.status}${errorText(outcome.error)}`;
  const is = `${seen.status}${errorText(seen.error)}`;
  if (was !== is) return [`the result: the run ended ${was}; the replay ends ${is}`];
  if (outcome.status !== 'complete') return [];
  return changes(withoutIds(outcome.output), withoutIds(seen.output)).map(
    ({ path, expected, actual }) => `output${path}: ${shown(expected)} in the run, ${shown(actual)} in the replay`,
  );
}

/** Where a replay differs from the run of its bundle, for the user: its way, its calls, its result. Ids are not compared. */
export const divergences = (bundle: Bundle, seen: Observation): readonly string[] => [
  ...wayDifference(bundle.outcome.states, seen.states),
  ...callDifferences(bundle, seen),
  ...resultDifferences(bundle, seen),
];
