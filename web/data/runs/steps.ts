import type { LogLine } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';

/** A period in which a step waited: for a child run, an event, the next attempt, or for the time of a delay to pass. */
export interface Wait {
  readonly kind: 'child' | 'event' | 'retry' | 'time';
  readonly from: number;
  readonly to: number | undefined;
}

/** One visit of a state, from the log of the run. */
export interface Step {
  /** Counted from 1. */
  readonly number: number;
  readonly state: string;
  readonly from: number;
  /** Undefined while it runs. */
  readonly to: number | undefined;
  readonly waits: readonly Wait[];
  /** Failed attempts. */
  readonly attempts: number;
  readonly error: string | undefined;
  readonly isCaught: boolean;
  /** Ids of runs that the step started and the log names. */
  readonly children: readonly string[];
  /** The run came to its end here, and a handler of the workflow took it over. */
  readonly isHandled: boolean;
  /** It may have started runs: the log of a step with several calls does not name all of them. */
  readonly startsRuns: boolean;
}

interface Draft extends Omit<Step, 'waits' | 'children'> {
  to: number | undefined;
  attempts: number;
  error: string | undefined;
  isCaught: boolean;
  isHandled: boolean;
  startsRuns: boolean;
  readonly waits: { kind: Wait['kind']; from: number; to: number | undefined }[];
  readonly children: string[];
}

/** The step in which a run is, or in which it came to its end: the one before the first handler, else the last one. */
export const endOf = (steps: readonly Step[]): Step | undefined =>
  steps.find(({ isHandled }) => isHandled) ?? steps.at(-1);

const HANDLED = /^Entering the handler '/;
const RUNNING = /^Running state logic \(step:(\d+)\) -- (.+)$/;
const SLEEPING =
  /^(?:Sleeping until (?:child '([0-9a-f-]{36})' returns|function |a worker |children return)|Calling function )/;
const STARTS_RUNS = /^Sleeping until child(?:ren)? /;
const CHILD_RUNNING = /^Running child '([0-9a-f-]{36})'/;

function open(line: LogLine, number: number, state: string): Draft {
  const from = instantOf(line.t);
  return {
    number,
    state,
    from,
    to: undefined,
    waits: [],
    attempts: 0,
    error: undefined,
    isCaught: false,
    isHandled: false,
    children: [],
    startsRuns: false,
  };
}

function endWaits(step: Draft, at: number): void {
  for (const wait of step.waits) wait.to ??= at;
}

type Reading = (step: Draft, line: LogLine, at: number, found: RegExpExecArray) => void;

/** Patterns of the engine's log lines, each with its change of the step that wrote the line. */
const READINGS: readonly (readonly [RegExp, Reading])[] = [
  [
    SLEEPING,
    (step, { msg }, at, [, child]) => {
      step.waits.push({ kind: 'child', from: at, to: undefined });
      step.startsRuns ||= STARTS_RUNS.test(msg);
      if (child !== undefined) step.children.push(child);
    },
  ],
  [
    CHILD_RUNNING,
    (step, _line, _at, [, child]) => {
      step.startsRuns = true;
      if (child !== undefined) step.children.push(child);
    },
  ],
  [
    /^(?:Child '([0-9a-f-]{36})'|Function '.*returned)/,
    (step, _line, at, [, child]) => {
      // For loops and parallel calls, only this line names the child; the single call of a state is named before.
      if (child !== undefined && step.waits.length === 0) step.startsRuns = true;
      endWaits(step, at);
      // A retry of the single call is named when it returns.
      const isKnown = child === undefined || step.children.includes(child);
      if (!isKnown && step.children.length > 0) step.children.push(child);
    },
  ],
  [
    /^(?:Registered to receive events|Approval requested)/,
    (step, _line, at) => {
      step.waits.push({ kind: 'event', from: at, to: undefined });
    },
  ],
  [
    // A delay logs nothing when it begins.
    /^Waking up from sleep/,
    (step, _line, at) => {
      step.waits.push({ kind: 'time', from: step.from, to: at });
    },
  ],
  [
    /^Scheduling retry attempt/,
    (step, _line, at) => {
      endWaits(step, at);
      step.attempts += 1;
      step.waits.push({ kind: 'retry', from: at, to: undefined });
    },
  ],
  [
    /^(?:State failed with error|(?:Instance|Workflow) failed with (?:uncatchable )?error) ?(.*)$/s,
    (step, _line, _at, [, error]) => {
      step.error = error;
    },
  ],
  [
    /^Error caught by/,
    (step) => {
      step.isCaught = true;
    },
  ],
];

function note(step: Draft, line: LogLine): void {
  for (const [pattern, read] of READINGS) {
    const found = pattern.exec(line.msg);
    if (found === null) continue;
    read(step, line, instantOf(line.t), found);
    return;
  }
}

/** Builds the steps of a run from the lines of its log. */
export class StepReader {
  readonly #steps: Draft[] = [];

  /** Reads further lines, in the order of the log. */
  read(lines: readonly LogLine[]): void {
    for (const line of lines) {
      const entered = RUNNING.exec(line.msg);
      if (entered !== null) this.#enter(line, Number(entered[1]), entered[2] ?? '');
      else if (HANDLED.test(line.msg)) this.#handle();
      else if (line.tags['state-id'] !== undefined) this.#note(line);
    }
  }

  #enter(line: LogLine, number: number, state: string): void {
    const last = this.#steps.at(-1);
    if (last !== undefined) this.#close(last, instantOf(line.t));
    this.#steps.push(open(line, number, state));
  }

  /** A request may end a run in any state, so the line need not belong to the state of the last step. */
  #handle(): void {
    const last = this.#steps.at(-1);
    if (last !== undefined) last.isHandled = true;
  }

  #close(step: Draft, at: number): void {
    step.to = at;
    endWaits(step, at);
  }

  #note(line: LogLine): void {
    const step = this.#steps.at(-1);
    if (step !== undefined && step.state === line.tags['state-id']) note(step, line);
  }

  /** The steps so far. `end`, milliseconds since 1970, is the end of an ended run and of its last step. */
  steps(end: number | undefined): readonly Step[] {
    const last = this.#steps.at(-1);
    if (last !== undefined && end !== undefined && last.to === undefined) this.#close(last, end);
    return this.#steps.map((step) => ({ ...step, waits: step.waits.map((wait) => ({ ...wait })) }));
  }
}
