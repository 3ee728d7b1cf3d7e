import { isObject } from '../language/json.ts';
import { ownMember, textOf } from '../language/own-members.ts';
import type { Position } from '../language/position.ts';
import { keyOfName } from './format/function-keys.ts';
import { milliseconds } from './format/moments.ts';
import type { Expectation, TestScope } from './format/suite.ts';
import { differences, differenceText, shown } from './matching/differences.ts';
import type { Observation } from './observation.ts';

/** An expectation that does not hold. */
export interface Failure {
  /** The expected and the found value, in one line. */
  readonly message: string;
  /** The place of the expectation in the file of tests; undefined for one that is not written there. */
  readonly at: Position | undefined;
}

/** A comparison: an expectation, and the observation of the workflow at the path. */
interface Comparison {
  readonly expect: Expectation;
  readonly seen: Observation;
  /** The path of the workflow. */
  readonly main: string;
}

const BRAND = /^(?:service|direktiv)\./;
/** Codes of the engine are the same under both brands. */
const unbranded = (code: string): string => code.replace(BRAND, '');

function statusFailures({ expect, seen }: Comparison): string[] {
  if (expect.status === seen.status) return [];
  const why = seen.error === undefined ? '' : `: ${seen.error.code}: ${seen.error.message}`;
  return [`status: expected ${expect.status}, found ${seen.status}${why}`];
}

function errorFailures({ expect: { error }, seen }: Comparison): string[] {
  if (error === undefined || seen.error === undefined) return [];
  const { code = '', message = '' } = error;
  const failures: string[] = [];
  if (code !== '' && unbranded(code) !== unbranded(seen.error.code)) {
    failures.push(`error: expected the code ${code}, found ${seen.error.code}: ${seen.error.message}`);
  }
  if (!seen.error.message.includes(message)) {
    failures.push(`error: expected a message with ${shown(message)}, found ${shown(seen.error.message)}`);
  }
  return failures;
}

function outputFailures({ expect: { output }, seen }: Comparison): string[] {
  if (output === undefined || seen.status !== 'complete') return [];
  return differences(output, seen.output).map((one) => differenceText(one, 'output'));
}

const flow = (states: readonly string[]): string => states.join(' → ') || 'none';

function stateFailures({ expect: { states }, seen }: Comparison): string[] {
  if (states === undefined) return [];
  if (Array.isArray(states)) {
    const expected = states as readonly string[];
    const isSame = flow(expected) === flow(seen.states);
    return isSame ? [] : [`states: expected ${flow(expected)}; found ${flow(seen.states)}`];
  }
  return Object.entries(states).flatMap(([state, count]) => {
    const found = seen.states.filter((one) => one === state).length;
    return found === count ? [] : [`states: expected ${state} ${timesText(count)}, found it ${timesText(found)}`];
  });
}

const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function callFailures({ expect: { calls }, seen, main }: Comparison): string[] {
  return Object.entries(calls).flatMap(([name, expected]) => {
    const made = seen.calls.filter((call) => call.function === keyOfName(name, main));
    const count = typeof expected === 'number' ? expected : expected.length;
    if (made.length !== count) {
      const inputs = made.length === 0 ? '' : `: ${made.map(({ input }) => shown(input)).join(', ')}`;
      return [`calls: expected ${name} ${timesText(count)}, found it ${timesText(made.length)}${inputs}`];
    }
    const inputs = typeof expected === 'number' ? [] : expected;
    return inputs.flatMap((input, index) =>
      differences(input, made[index]?.input).map((one) => differenceText(one, `calls.${name}[${index}]`)),
    );
  });
}

function eventFailures({ expect: { events }, seen }: Comparison): string[] {
  if (events === undefined) return [];
  if (events.length !== seen.events.length) {
    const types = seen.events.map(({ type }) => textOf(type)).join(', ');
    return [`events: expected ${events.length}, found ${seen.events.length}${types === '' ? '' : `: ${types}`}`];
  }
  return events.flatMap((event, index) =>
    differences(event, seen.events[index]).map((one) => differenceText(one, `events[${index}]`)),
  );
}

function variableFailures({ expect: { variables }, seen }: Comparison): string[] {
  return (Object.keys(variables) as TestScope[]).flatMap((scope) => {
    const expected = variables[scope];
    if (!isObject(expected)) return [];
    return differences(expected, seen.variables[scope]).map((one) => differenceText(one, `variables.${scope}`));
  });
}

const UNITS = [
  ['D', 86_400_000],
  ['H', 3_600_000],
  ['M', 60_000],
  ['S', 1000],
] as const;

/** Milliseconds as an ISO 8601 duration; fractions of a second are digits after the point. */
export function durationText(ms: number): string {
  let rest = ms;
  const parts = UNITS.map(([unit, size]) => {
    const count = unit === 'S' ? rest / size : Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  const [days, ...time] = parts;
  const clock = time.join('');
  return days === '' && clock === '' ? 'PT0S' : `P${days}${clock === '' ? '' : `T${clock}`}`;
}

function timeFailures({ expect: { took }, seen }: Comparison): string[] {
  if (took === undefined) return [];
  const { least, most } = took;
  const found = durationText(seen.took);
  if (least !== undefined && least === most && milliseconds(least) !== seen.took) {
    return [`took: expected ${least}, found ${found}`];
  }
  if (least !== undefined && seen.took < milliseconds(least))
    return [`took: expected at least ${least}, found ${found}`];
  if (most !== undefined && seen.took > milliseconds(most)) return [`took: expected at most ${most}, found ${found}`];
  return [];
}

function runFailures({ expect: { runs }, seen, main }: Comparison): string[] {
  const found = seen.runs.filter(({ path }) => path === main).length;
  return runs === undefined || runs === found ? [] : [`runs: expected ${runs}, found ${found}`];
}

type Compared = Exclude<keyof Expectation, 'places'>;

/** How each expectation is compared. */
const COMPARISONS: Readonly<Record<Compared, (comparison: Comparison) => string[]>> = {
  status: statusFailures,
  error: errorFailures,
  output: outputFailures,
  states: stateFailures,
  calls: callFailures,
  events: eventFailures,
  variables: variableFailures,
  took: timeFailures,
  runs: runFailures,
};

/** Compares the observation of a case with its expectation. Returns all failures. */
export function failuresOf(expect: Expectation, seen: Observation, main: string): readonly Failure[] {
  const found = Object.entries(COMPARISONS).flatMap(([field, compare]) =>
    compare({ expect, seen, main }).map((message): Failure => ({ message, at: ownMember(expect.places, field) })),
  );
  return [...seen.problems, ...found];
}
