import type { StateType } from '../../../compiler/plan/plan.ts';
import type { RecordMode } from '../../../domain/record-modes.ts';
import * as records from '../../../domain/runs/records.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import type { Calls, Wait } from '../../../domain/runs/waits.ts';
import { setMember } from '../../../language/json.ts';
import { ownMember } from '../../../language/own-members.ts';

type Data = Readonly<Record<string, unknown>>;

/** The newest steps of a loop that are kept whole. */
const LAST_STEPS = 10;
/** The calls of a step that are kept whole; of further ones only failures are, up to twice as many in all. */
const MAX_CALLS = 20;
/** The longest change of data of a step in a loop, characters of JSON text. */
const MAX_LOOP_TEXT = 1024;
/** The longest whole data that is kept after a gap, characters of JSON text. */
const MAX_BASE_TEXT = 4096;
/** The data that the record of a run keeps in all, characters of JSON text. */
const MAX_BYTES = 1024 * 1024;
const MAX_MESSAGE_LENGTH = 1024;

interface Entry {
  step: records.RecordedStep;
  /** The data at the entry; undefined where it is not known. */
  readonly data: Data | undefined;
  /** The change was bounded and counted. */
  isBounded: boolean;
}

/** A state that a run enters. Times are milliseconds since 1970. */
export interface Visit {
  readonly n: number;
  readonly state: string;
  readonly type: StateType;
  readonly entered: number;
  /** The state was visited several times: the visit may be left out of the record when newer ones follow. */
  readonly isRepeated: boolean;
}

/** How a state is left. */
export interface Leave {
  readonly left: number;
  readonly to?: string | undefined;
}

/**
 * Records the states that a run visits, until its commit. Of a loop the first visits of each state and the newest steps
 * are kept; those between are counted. The data that a record keeps is bounded.
 */
export class Recorder {
  private readonly mode: RecordMode;
  private readonly before: records.RunRecord;
  private readonly tail: Entry[];
  private elided: { from: number; to: number; by: Record<string, number> } | undefined;
  private bytes: number;
  private readonly isRerun: boolean;
  private followed: { readonly origin: number; readonly calls: () => Calls } | undefined;

  constructor({ record, settings, data, rerunOf }: Pick<Run, 'record' | 'settings' | 'data' | 'rerunOf'>) {
    this.isRerun = rerunOf !== undefined;
    this.mode = settings.record ?? 'full';
    this.before = record;
    this.bytes = record.bytes;
    this.elided = record.elided === undefined ? undefined : { ...record.elided, by: { ...record.elided.by } };
    this.tail = toTail(record.steps, data);
  }

  /** Begins a step. */
  enter({ isRepeated, ...visit }: Visit, data: Data): void {
    if (this.mode === 'none') return;
    this.followed = undefined;
    const step: records.RecordedStep = isRepeated ? { ...visit, inLoop: true } : visit;
    const isFirstOfLoop = isRepeated && this.tail.at(-1)?.step.inLoop !== true;
    // A run that repeats another one from a state does not begin with its input.
    const needsBase = isFirstOfLoop || (this.isRerun && visit.n === 1);
    this.tail.push({ step: needsBase ? this.withBase(step, data) : step, data, isBounded: false });
    if (isRepeated) this.elideOldest();
  }

  /** Adds to the open step. */
  note(more: Partial<Pick<records.RecordedStep, 'because' | 'error' | 'events'>>): void {
    const open = this.open;
    if (open === undefined) return;
    const { error } = more;
    const message = error?.message.slice(0, MAX_MESSAGE_LENGTH) ?? '';
    open.step = { ...open.step, ...more, ...(error === undefined ? {} : { error: { ...error, message } }) };
  }

  /** Adds a call that ended to the open step. */
  addCall(call: records.RecordedCall): void {
    const open = this.open;
    if (open === undefined) return;
    const { calls = [], callCount = 0 } = open.step;
    const isShown = calls.length < MAX_CALLS || (call.code !== undefined && calls.length < 2 * MAX_CALLS);
    const message = call.message === undefined ? {} : { message: call.message.slice(0, MAX_MESSAGE_LENGTH) };
    open.step = {
      ...open.step,
      calls: isShown ? [...calls, { ...call, ...message }] : calls,
      callCount: callCount + 1,
    };
  }

  /** `calls` returns how far the calls of the open step are; `origin` is the part of a time in their ids. */
  followCalls(origin: number, calls: () => Calls): void {
    this.followed = { origin, calls };
  }

  /**
   * Notes the calls of the open step, because it or one of them has failed: a repetition makes the others. `wait` is that
   * of a step whose calls are not followed.
   */
  noteCalls(wait?: Pick<Wait, 'origin' | 'calls'>): void {
    const { origin, calls } = this.followed ?? { origin: wait?.origin, calls: () => wait?.calls };
    const noted = calls();
    const open = this.open;
    if (open === undefined || noted === undefined || origin === undefined) return;
    const { results, unstored } = noted;
    const kept = results.flatMap((value, i) => (value === null || value === undefined ? [] : [[i, value] as const]));
    const keepsResults = this.mode === 'full' && unstored === true;
    open.step = { ...open.step, origin, ...(keepsResults ? { results: Object.fromEntries(kept) } : {}) };
  }

  /** Notes the decision of the open step, whose transform may drop it from the data. */
  noteDecision(decision: object): void {
    const open = this.open;
    if (open !== undefined && this.mode === 'full') open.step = { ...open.step, results: { decision } };
  }

  /** Ends the open step; `data` is the data of the run from now on. */
  leave({ left, to }: Leave, data: Data): void {
    const open = this.open;
    if (open === undefined) return;
    const change = this.mode === 'full' && open.data !== undefined ? records.changeBetween(open.data, data) : undefined;
    open.step = {
      ...open.step,
      left: Math.max(left, open.step.entered),
      ...(to === undefined ? {} : { to }),
      ...(change === undefined ? {} : { change }),
    };
  }

  /** The record as the commit stores it. After the last state of a run its data is that of the run itself. */
  stored(hasEnded: boolean): records.RunRecord {
    const last = this.tail.at(-1);
    if (hasEnded && last !== undefined) {
      const { change: _, ...step } = last.step;
      last.step = step;
    }
    for (const entry of this.tail) this.bound(entry);
    const steps = this.tail.map(({ step }) => step);
    return {
      steps,
      flushed: this.before.flushed,
      bytes: this.bytes,
      ...(this.elided === undefined ? {} : { elided: this.elided }),
    };
  }

  /** The step that is not done. */
  private get open(): Entry | undefined {
    const last = this.tail.at(-1);
    return last?.step.left === undefined ? last : undefined;
  }

  private withBase(step: records.RecordedStep, data: Data | undefined): records.RecordedStep {
    if (this.mode !== 'full') return step;
    const length = data === undefined ? 0 : JSON.stringify(data).length;
    const isKept = data !== undefined && length <= (step.inLoop === true ? MAX_BASE_TEXT : MAX_BYTES);
    return { ...step, base: isKept ? data : { omitted: length } };
  }

  /** Leaves the oldest step of the loop out if it has more than `LAST_STEPS`. */
  private elideOldest(): void {
    const inLoop = this.tail.filter(({ step }) => step.inLoop === true);
    const [oldest] = inLoop;
    if (oldest === undefined || inLoop.length <= LAST_STEPS) return;
    const index = this.tail.indexOf(oldest);
    this.tail.splice(index, 1);
    const { n, state, change } = oldest.step;
    const next = this.tail[index];
    if (next?.step.n === n + 1 && next.step.base === undefined) {
      next.step = this.withBase(next.step, next.data ?? records.applyChange(oldest.data, change));
    }
    this.elided ??= { from: n, to: n, by: {} };
    this.elided.to = n;
    setMember(this.elided.by, state, (ownMember(this.elided.by, state) ?? 0) + 1);
  }

  /** Counts the data that a step keeps, or omits it where it exceeds a limit. */
  private bound(entry: Entry): void {
    const { change, results } = entry.step;
    if (entry.isBounded || (change === undefined && results === undefined)) return;
    entry.isBounded = true;
    const omitted = change === undefined ? undefined : this.omits(entry.step, change);
    if (omitted !== undefined) entry.step = { ...entry.step, change: { omitted } };
    if (results === undefined || this.omits(entry.step, results) === undefined) return;
    const { results: _, ...step } = entry.step;
    entry.step = step;
  }

  /** Counts a value of a step. Returns its length if it exceeds a limit and must be left out. */
  private omits(step: records.RecordedStep, value: object): number | undefined {
    const { length } = JSON.stringify(value);
    if (this.bytes + length > MAX_BYTES || (step.inLoop === true && length > MAX_LOOP_TEXT)) return length;
    this.bytes += length;
    return undefined;
  }
}

/** The steps of a stored record; `data` is that of the run, with which its open step was entered. */
function toTail(steps: readonly records.RecordedStep[], data: Data): Entry[] {
  const tail: Entry[] = [];
  let before: Data | undefined;
  for (const step of steps) {
    const base = step.base === undefined || records.isOmitted(step.base) ? before : (step.base as Data);
    const entry = step.left === undefined ? data : base;
    tail.push({ step, data: entry, isBounded: true });
    before = records.applyChange(entry, step.change);
  }
  // An open step is bounded when it is done.
  const last = tail.at(-1);
  if (last?.step.left === undefined && last !== undefined) last.isBounded = false;
  return tail;
}
