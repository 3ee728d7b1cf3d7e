import { isObject } from '../language/json.ts';
import { textOf } from '../language/own-members.ts';
import { functionName } from './format/function-keys.ts';
import { changes, type Difference, shown } from './matching/differences.ts';
import type { Observation, ObservedCall } from './observation.ts';
import { mendOfRepetition } from './repetition-mends.ts';

/** The kinds of harm that the repetition of a step can do. */
export type HarmKind = 'call' | 'calls' | 'event' | 'variable' | 'run' | 'result';

/** Harm that was done because something was repeated. */
export interface Harm {
  readonly kind: HarmKind;
  /** The function, event, variable or part of the result: with the kind it identifies the harm. */
  readonly subject: string;
  /** The harm, with its state, in one sentence without its period. */
  readonly message: string;
  /** The change that prevents it; empty if that depends on the workflow. */
  readonly mend: string;
  /** The first disturbance that showed it: a crash after an operation, or a delivery of events. */
  readonly cause: string;
  /** How many crashes and deliveries showed it. */
  readonly count: number;
}

type Found = Pick<Harm, 'kind' | 'subject' | 'message'> & { readonly mend?: string };

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const withoutIds = (text: string): string => text.replace(UUID, '<id>');

/** A value in which all ids are the same text: a crash changes which ids are made. */
function normalized(value: unknown): unknown {
  if (typeof value === 'string') return withoutIds(value);
  if (Array.isArray(value)) return value.map(normalized);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutIds(key), normalized(one)]));
}

function countBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** The keys whose counts differ, with the counts. */
function differing(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): (readonly [key: string, before: number, after: number])[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys]
    .map((key) => [key, before.get(key) ?? 0, after.get(key) ?? 0] as const)
    .filter(([, a, b]) => a !== b);
}

const times = (count: number): string => ['never', 'once', 'twice'][count] ?? `${count} times`;

function repeatedCalls(after: Observation): Found[] {
  return after.calls
    .filter(({ times: made, isIdempotent }) => made > 1 && !isIdempotent)
    .map(({ function: key, type, state, times: made }) => ({
      kind: 'call',
      subject: `${key} ${state}`,
      message: `state '${state}': the call of ${functionName(key)} was made ${times(made)}`,
      mend: mendOfRepetition(type),
    }));
}

const callKey = ({ function: key, state }: ObservedCall): string => `${key} ${state}`;

function furtherCalls(before: Observation, after: Observation): Found[] {
  return differing(countBy(before.calls, callKey), countBy(after.calls, callKey)).map(([subject, was, is]) => {
    const [key = '', state = ''] = subject.split(' ');
    const message = `state '${state}': ${functionName(key)} was called ${times(is)} instead of ${times(was)}`;
    return { kind: 'calls', subject, message };
  });
}

const eventKey = ({ type, source, data }: Observation['events'][number]): string =>
  `'${textOf(type)}' of '${textOf(source)}' with ${shown(normalized(data ?? null))}`;

function furtherEvents(before: Observation, after: Observation): Found[] {
  return differing(countBy(before.events, eventKey), countBy(after.events, eventKey)).map(([subject, was, is]) => ({
    kind: 'event',
    subject,
    message: `the event ${subject} was sent ${times(is)} instead of ${times(was)}`,
  }));
}

function countsOf({ variableWrites }: Observation): Map<string, number> {
  return countBy(
    Object.entries(variableWrites).flatMap(([name, count]) => Array.from({ length: count }, () => withoutIds(name))),
    (name) => name,
  );
}

function furtherWrites(before: Observation, after: Observation): Found[] {
  return differing(countsOf(before), countsOf(after)).map(([subject, was, is]) => ({
    kind: 'variable',
    subject,
    message: `the variable '${subject}' was written ${times(is)} instead of ${times(was)}`,
  }));
}

function furtherRuns(before: Observation, after: Observation): Found[] {
  const pathOf = ({ path }: Observation['runs'][number]): string => path;
  return differing(countBy(before.runs, pathOf), countBy(after.runs, pathOf)).map(([subject, was, is]) => ({
    kind: 'run',
    subject,
    message: `the workflow '${subject}' was run ${times(is)} instead of ${times(was)}`,
  }));
}

/** The result of a case: status, error, output and variables, in which all ids are the same text. */
const resultOf = ({ status, error, output, variables }: Observation) => {
  const { namespace, workflow, instance } = variables;
  return normalized({ status, error, output, variables: { namespace, workflow, instance } });
};

function changedResults(before: Observation, after: Observation, volatile: ReadonlySet<string>): Found[] {
  const stuck = after.problems.map(
    ({ message }): Difference => ({ path: ': the case ends', expected: true, actual: message }),
  );
  return [...changes(resultOf(before), resultOf(after)), ...stuck]
    .filter(({ path }) => !volatile.has(path))
    .map(({ path, expected, actual }) => ({
      kind: 'result',
      subject: path,
      message: `${path.slice(1)} was ${shown(actual)} instead of ${shown(expected)}`,
    }));
}

/** A case that was run twice without a disturbance, at different times. */
export interface Baseline {
  readonly plain: Observation;
  /** The parts of the result that depend on the time by their nature. */
  readonly volatile: ReadonlySet<string>;
}

/** The baseline of a case, from two undisturbed runs of it. */
export function baselineOf(plain: Observation, again: Observation): Baseline {
  return { plain, volatile: new Set(changes(resultOf(plain), resultOf(again)).map(({ path }) => path)) };
}

/** The harm in a run that was disturbed: by a crash, or by events that came twice or in another order. */
export function harmsIn({ plain, volatile }: Baseline, disturbed: Observation, cause: string): readonly Harm[] {
  const found = [
    ...repeatedCalls(disturbed),
    ...furtherCalls(plain, disturbed),
    ...furtherEvents(plain, disturbed),
    ...furtherWrites(plain, disturbed),
    ...furtherRuns(plain, disturbed),
    ...changedResults(plain, disturbed, volatile),
  ];
  return found.map((one): Harm => ({ mend: '', ...one, cause, count: 1 }));
}

/** The same harm under several disturbances, as one, in the order of its kinds. */
export function mergedHarms(all: readonly Harm[]): readonly Harm[] {
  const merged = new Map<string, Harm>();
  for (const one of all) {
    const key = `${one.kind} ${one.subject}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return [...merged.values()];
}
