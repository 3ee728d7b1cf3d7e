import { isDeepStrictEqual } from 'node:util';
import type { StateType } from '../../compiler/plan/plan.ts';
import { parseJson } from '../../language/json-numbers.ts';

type Data = Readonly<Record<string, unknown>>;

/** A value that is not kept, because it exceeds a limit of the record; its size in bytes of JSON text. */
export interface Omitted {
  readonly omitted: number;
}

/** How a state changed the members of the data. */
export interface DataChange {
  readonly set?: Data;
  readonly removed?: readonly string[];
}

/** The call that a native function sent outside: a request, an invocation or a mail. No member holds a secret. */
export interface SentCall {
  readonly kind: 'http' | 'lambda' | 'mail';
  /** `GET https://host/path`, the name of a function, or the `host:port` of a mail server. */
  readonly to: string;
  /** Of HTTP: the status of the response. */
  readonly status?: number;
  /** How long it took, milliseconds; absent where a state machine made it. */
  readonly ms?: number;
}

/** A call of a function or subflow that ended: the attempt `k` of call `i`. */
export interface RecordedCall {
  readonly i: number;
  readonly k: number;
  /** The id of the child or of the container call. */
  readonly id: string;
  /** Absent after a success. */
  readonly code?: string;
  readonly message?: string;
  /** Milliseconds until the next attempt; absent without one. */
  readonly retryIn?: number;
  /** How long it waited for the limits of its function, milliseconds; absent: it did not. */
  readonly queued?: number;
  /** The call that it sent outside, if it was of a native function, as the text of `sentText`. */
  readonly sent?: string;
  /** It was not made: its result is that of the run which this one repeats. */
  readonly reused?: true;
}

/** The error of a state; of a query that failed also its text, the value that it saw, and names that the value lacks. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
  /** The place of the expression, or of the state, in the source; both count from 1. Absent for an error state. */
  readonly at?: { readonly line: number; readonly column: number };
  readonly expression?: string;
  readonly saw?: { readonly type: string; readonly sample: string };
  readonly near?: readonly string[];
  /** The patterns of the state's catch, none of which matches the code. */
  readonly unmatched?: readonly string[];
}

/** A visit of a state. Times are milliseconds since 1970. */
export interface RecordedStep {
  /** Its number in the run, from 1. */
  readonly n: number;
  readonly state: string;
  readonly type: StateType;
  readonly entered: number;
  /** Absent while the state runs or waits. */
  readonly left?: number;
  /** The next state; absent at the end of the run. */
  readonly to?: string;
  /** Why it went there, if not by the state's own transition: `condition 2`, `default`, `catch 0`, `event x`. */
  readonly because?: string;
  /** Absent when the data did not change, and for the last state of a run. */
  readonly change?: DataChange | Omitted;
  /** The data at the entry, where it does not follow from the steps before: after a gap. */
  readonly base?: Data | Omitted;
  readonly error?: RecordedError;
  readonly calls?: readonly RecordedCall[];
  /** How many calls ended; more than `calls` holds if some are left out. */
  readonly callCount?: number;
  /** The names of the events that it has taken: their ids, with the source where another event has the id. */
  readonly events?: readonly string[];
  /** Of a state that failed, or of which a call failed: the part of the time in the ids of its calls, milliseconds since 1970. */
  readonly origin?: number;
  /** Of such a state: results of its calls that are not stored elsewhere, by number of the call. Of an approval: `decision`. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** One of many visits of a loop: left out when newer ones follow. */
  readonly inLoop?: true;
}

/** The visits of states that are left out of a record: those in the middle of a loop. */
export interface ElidedSteps {
  readonly from: number;
  readonly to: number;
  /** By state: how many visits. */
  readonly by: Readonly<Record<string, number>>;
}

/** The record of a run, as its item holds it. */
export interface RunRecord {
  /** The newest steps; older ones are in the journal. */
  readonly steps: readonly RecordedStep[];
  /** How many items of the journal hold steps. */
  readonly flushed: number;
  /** How many bytes of data all steps hold. */
  readonly bytes: number;
  readonly elided?: ElidedSteps;
}

export const EMPTY_RECORD: RunRecord = { steps: [], flushed: 0, bytes: 0 };

/** Whether a recorded value is omitted. */
export const isOmitted = (value: object): value is Omitted => Object.keys(value).join() === 'omitted';

/** How data was changed, member by member; undefined: not at all. Members that were passed on are not compared. */
export function changeBetween(before: Data, after: Data): DataChange | undefined {
  if (before === after) return undefined;
  const isChanged = ([name, value]: [string, unknown]) =>
    !(Object.hasOwn(before, name) && (before[name] === value || isDeepStrictEqual(before[name], value)));
  const set = Object.entries(after).filter(isChanged);
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  if (set.length === 0 && removed.length === 0) return undefined;
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(removed.length === 0 ? {} : { removed }),
  };
}

/** The data after a change; undefined where the change is not known. */
export function applyChange(data: Data | undefined, change: RecordedStep['change']): Data | undefined {
  if (data === undefined || change === undefined) return data;
  if (isOmitted(change)) return undefined;
  const { set = {}, removed = [] } = change as DataChange;
  const kept = Object.entries(data).filter(([name]) => !removed.includes(name));
  return { ...Object.fromEntries(kept), ...set };
}

/**
 * The data at the entry of each step, in the order of the steps, from the data of the run's input; undefined where it is
 * not known.
 */
export function entriesOf(steps: readonly RecordedStep[], input: Data): (Data | undefined)[] {
  const entries: (Data | undefined)[] = [];
  let data: Data | undefined = input;
  let next = 1;
  for (const { n, base, change } of steps) {
    if (base !== undefined) data = isOmitted(base) ? undefined : (base as Data);
    else if (n !== next) data = undefined;
    entries.push(data);
    data = applyChange(data, change);
    next = n + 1;
  }
  return entries;
}

type Stored = readonly (readonly [name: keyof RecordedStep, stored: string])[];

const STORED_NAMES: Stored = [
  ['n', 'n'],
  ['state', 's'],
  ['type', 'k'],
  ['entered', 'e'],
  ['left', 'l'],
  ['to', 't'],
  ['because', 'w'],
  ['change', 'd'],
  ['base', 'b'],
  ['error', 'x'],
  ['calls', 'c'],
  ['callCount', 'm'],
  ['events', 'v'],
  ['origin', 'g'],
  ['results', 'u'],
  ['inLoop', 'r'],
];

type Short = Readonly<Record<string, unknown>>;

/** The type of a step that is not stored. */
const USUAL_TYPE: StateType = 'noop';

/** The steps beside a step in the same text: values that follow from them are not stored. */
interface Neighbours {
  readonly previous: RecordedStep | undefined;
  readonly next: RecordedStep | undefined;
}

const followsOn = (step: Pick<RecordedStep, 'n'>, next: Pick<RecordedStep, 'n'> | undefined): boolean =>
  next?.n === step.n + 1;

/** The time from which the times of a step count: the end of the step before it in the same text, or the start of the run. */
const epochOf = (previous: RecordedStep | undefined, created: number): number =>
  previous?.left ?? previous?.entered ?? created;

/** A step as it is stored. */
function toShort(step: RecordedStep, created: number, { previous, next }: Neighbours): Short {
  const { n, type, entered, left, to, origin } = step;
  const since = entered - epochOf(previous, created);
  const stored = {
    ...step,
    n: n === (previous?.n ?? 0) + 1 ? undefined : n,
    type: type === USUAL_TYPE ? undefined : type,
    to: followsOn(step, next) && next?.state === to ? undefined : to,
    entered: since === 0 ? undefined : since,
    left: left === undefined || left === entered ? undefined : left - entered,
    origin: origin === undefined ? undefined : origin - created,
  };
  const short: Record<string, unknown> = {};
  for (const [name, key] of STORED_NAMES) if (stored[name] !== undefined) short[key] = stored[name];
  // A state that was left at once has no duration either.
  if (left === undefined) short['o'] = 1;
  return short;
}

function fromShort(short: Short, created: number, previous: RecordedStep | undefined): RecordedStep {
  const n = (previous?.n ?? 0) + 1;
  const entries = STORED_NAMES.map(([name, stored]) => [name, short[stored]] as const);
  const long = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const entered = epochOf(previous, created) + Number(long['entered'] ?? 0);
  const left = short['o'] === 1 ? {} : { left: entered + Number(long['left'] ?? 0) };
  const origin = long['origin'] === undefined ? {} : { origin: created + Number(long['origin']) };
  return { n, type: USUAL_TYPE, ...long, entered, ...left, ...origin } as unknown as RecordedStep;
}

/** The text of several steps; `created` is the start of their run. */
export function stepsText(steps: readonly RecordedStep[], created: number): string {
  const short = steps.map((step, index) => {
    return toShort(step, created, { previous: steps[index - 1], next: steps[index + 1] });
  });
  return JSON.stringify(short);
}

function fromShorts(shorts: readonly Short[], created: number): RecordedStep[] {
  const steps: RecordedStep[] = [];
  for (const short of shorts) steps.push(fromShort(short, created, steps.at(-1)));
  return steps.map((step, index) => {
    const next = steps[index + 1];
    const isLeft = step.left !== undefined && step.to === undefined;
    return isLeft && next !== undefined && followsOn(step, next) ? { ...step, to: next.state } : step;
  });
}

/** The inverse of `stepsText`. */
export const stepsFrom = (text: string, created: number): RecordedStep[] =>
  fromShorts(parseJson(text) as Short[], created);

/** The text of a record in the item of its run; undefined for an empty one. */
export function recordText({ steps, flushed, bytes, elided }: RunRecord, created: number): string | undefined {
  if (steps.length === 0 && flushed === 0 && elided === undefined) return undefined;
  const rest = {
    ...(flushed === 0 ? {} : { f: flushed }),
    ...(bytes === 0 ? {} : { y: bytes }),
    ...(elided && { z: elided }),
  };
  const members = JSON.stringify(rest).slice(1, -1);
  return `{"s":${stepsText(steps, created)}${members === '' ? '' : `,${members}`}}`;
}

/** The inverse of `recordText`. */
export function recordFrom(text: string, created: number): RunRecord {
  const {
    s,
    f = 0,
    y = 0,
    z,
  } = parseJson(text) as {
    s: Short[];
    f?: number;
    y?: number;
    z?: ElidedSteps;
  };
  const steps = fromShorts(s, created);
  return { steps, flushed: f, bytes: y, ...(z === undefined ? {} : { elided: z }) };
}

/** A failure with its place: the path of the workflow and the state. */
export interface LocatedError extends RecordedError {
  readonly file: string;
  readonly state: string;
}

/**
 * Where and why a state failed, as one line: `/shop:12:5, state 'pay', expression jq(.ordr.id), which saw an object:
 * {"order":1}; the value has `order`, not `ordr``.
 */
export function whereText({ file, at, state, expression, saw, near = [], unmatched = [], code }: LocatedError): string {
  const place = at === undefined ? file : `${file}:${at.line}:${at.column}`;
  const parts = [place, `state '${state}'`];
  if (expression !== undefined) parts.push(`expression ${expression}`);
  if (saw !== undefined) parts.push(`saw ${saw.type} ${saw.sample}`);
  const patterns = unmatched.map((pattern) => `'${pattern}'`).join(', ');
  const catches = patterns === '' ? [] : [`no pattern of catch matches '${code}': ${patterns}`];
  return [parts.join(', '), ...near, ...catches].join('; ');
}
