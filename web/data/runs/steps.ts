import type { LogLine } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';

/** A stretch of time in which a step waited: for a child, an event, or its next attempt. */
export interface Wait {
  readonly kind: 'child' | 'event' | 'retry';
  readonly from: number;
  readonly to: number | undefined;
}

/** One visit of a state, as the log of the run shows it. */
export interface Step {
  /** From 1 on. */
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
  /** Runs that the step started, as far as the log names them. */
  readonly children: readonly string[];
  /** It may have started runs; the log names only some of those of a step that makes several calls. */
  readonly startsRuns: boolean;
}

interface Draft extends Omit<Step, 'waits' | 'children'> {
  to: number | undefined;
  attempts: number;
  error: string | undefined;
  isCaught: boolean;
  startsRuns: boolean;
  readonly waits: { kind: Wait['kind']; from: number; to: number | undefined }[];
  readonly children: string[];
}

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
    children: [],
    startsRuns: false,
  };
}

function endWaits(step: Draft, at: number): void {
  for (const wait of step.waits) wait.to ??= at;
}

type Reading = (step: Draft, line: LogLine, at: number, found: RegExpExecArray) => void;

/** The patterns of the engine's lines, each with the change that it makes to the step that wrote the line. */
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
      // The calls of a loop and of branches that return at once are named only here; the one call of a state was before.
      if (child !== undefined && step.waits.length === 0) step.startsRuns = true;
      endWaits(step, at);
      // A further attempt of the one call is named when it returns.
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

/** Builds up the steps of a run from its log, line by line. */
export class StepReader {
  readonly #steps: Draft[] = [];

  /** Reads further lines, in the order of the log. */
  read(lines: readonly LogLine[]): void {
    for (const line of lines) {
      const entered = RUNNING.exec(line.msg);
      if (entered !== null) this.#enter(line, Number(entered[1]), entered[2] ?? '');
      else if (line.tags['state-id'] !== undefined) this.#note(line);
    }
  }

  #enter(line: LogLine, number: number, state: string): void {
    const last = this.#steps.at(-1);
    if (last !== undefined) this.#close(last, instantOf(line.t));
    this.#steps.push(open(line, number, state));
  }

  #close(step: Draft, at: number): void {
    step.to = at;
    endWaits(step, at);
  }

  #note(line: LogLine): void {
    const step = this.#steps.at(-1);
    if (step !== undefined && step.state === line.tags['state-id']) note(step, line);
  }

  /** The steps so far. With `end`, milliseconds since 1970, the run is over and its last step too. */
  steps(end: number | undefined): readonly Step[] {
    const last = this.#steps.at(-1);
    if (last !== undefined && end !== undefined && last.to === undefined) this.#close(last, end);
    return this.#steps.map((step) => ({ ...step, waits: step.waits.map((wait) => ({ ...wait })) }));
  }
}
