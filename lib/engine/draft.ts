import type { Plan } from '../compiler/plan.ts';
import type { Pause } from '../domain/pauses.ts';
import type { Revision } from '../domain/revisions.ts';
import type { Failure, Level, LogLine, Run } from '../domain/runs.ts';
import { LONGEST_FLOW } from '../domain/runs.ts';
import * as variables from '../domain/variables.ts';
import type { Ports, Write } from '../ports.ts';

export type EnginePorts = Pick<Ports, 'table' | 'blobs' | 'executions' | 'clock' | 'settings'>;

/**
 * Runs a child to its end within the parent's own step and answers it, committed; undefined when the child must wait for
 * something, and then nothing of the attempt is left.
 */
export type RunInPlace = (child: Run, revision: Revision, until: number) => Promise<Run | undefined>;

/** When a run is interrupted and when it is killed, milliseconds since 1970. */
export interface Deadlines {
  readonly interrupt: number;
  readonly kill: number;
}

/** What states may ask of the engine besides the ports. */
export interface Tools {
  readonly runInPlace: RunInPlace;
  readonly plan: Plan;
  readonly deadlines: Deadlines;
  /** Milliseconds since 1970: work that can stop in the middle stops and commits then. */
  readonly until: number;
}

/** A variable as the run sees it: undefined after it deleted it. */
type Written = { readonly owner: variables.Owner; readonly variable?: variables.Variable; readonly name: string };

/** A log line is cut here, in characters: the lines of a segment are one text when they are written. */
const LONGEST_LINE = 256 * 1024;

/**
 * A run at work: what a segment changes before it commits. Nothing here is visible to anybody until the commit;
 * variables are read through what this run wrote itself.
 */
export class Draft {
  readonly ports: EnginePorts;
  data: Record<string, unknown>;
  at: string;
  step: number;
  metadata: string;
  interrupted: boolean;
  raised: Failure | undefined;
  pause: Pause | undefined;
  threads: Readonly<Record<string, string>>;
  /** When the present state was entered, milliseconds since 1970. */
  entered: number;
  /** The commit before the present state was entered. */
  origin: number;
  private readonly givenTools: Tools | undefined;
  private lastLine: number;
  private readonly base: Run;
  private readonly flow: string[];
  private readonly seen: Set<string>;
  private readonly tail: LogLine[];
  private logged = 0;
  private readonly written = new Map<string, Written>();

  constructor(ports: EnginePorts, run: Run, tools?: Tools) {
    this.ports = ports;
    this.givenTools = tools;
    this.base = run;
    this.lastLine = run.lastLine;
    this.data = run.data;
    this.at = run.at;
    this.step = run.step;
    this.metadata = run.metadata;
    this.interrupted = run.interrupted;
    this.raised = run.raised;
    this.pause = run.pause;
    this.entered = run.pause?.entered ?? run.updated;
    this.origin = run.pause?.origin ?? run.updated;
    this.threads = run.threads;
    this.flow = [...run.flow];
    this.seen = new Set(run.flow);
    this.tail = [...run.tail];
  }

  get run(): Run {
    return this.base;
  }

  get tools(): Tools {
    if (this.givenTools === undefined) throw new Error('this draft runs no states');
    return this.givenTools;
  }

  /** When the run's own time is over, milliseconds since 1970. After an error state it has all the time there is. */
  get deadline(): number {
    const { interrupt, kill } = this.tools.deadlines;
    if (this.raised !== undefined) return Number.MAX_SAFE_INTEGER;
    return this.interrupted ? kill : Math.min(interrupt, kill);
  }

  /** The run as its children see it. */
  get caller(): Run {
    return { ...this.base, step: this.step, threads: this.threads };
  }

  /** The log so far, for a run that is not stored yet. */
  get opening(): Pick<Run, 'tail' | 'lastLine'> {
    return { tail: this.tail, lastLine: this.lastLine };
  }

  /** The full error code: brand and code. */
  branded(code: string): string {
    return `${this.ports.settings.brand}.${code}`;
  }

  log(text: string, level: Level = 'info', state = this.at): void {
    this.lastLine = Math.max(this.lastLine + 1, this.ports.clock.now() * 1000);
    const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
    this.tail.push({ t: this.lastLine, level, text: shown, ...(state === '' ? {} : { state }) });
    this.logged += shown.length;
  }

  enter(state: string): void {
    this.at = state;
    this.step += 1;
    this.entered = this.ports.clock.now();
    this.origin = this.base.updated;
    if (this.flow.length < LONGEST_FLOW || !this.seen.has(state)) this.flow.push(state);
    this.seen.add(state);
  }

  async readVariable(owner: variables.Owner, name: string): Promise<variables.Variable | undefined> {
    const own = this.written.get(`${owner.scope}/${name}`);
    return own === undefined ? variables.find(this.ports, owner, name) : own.variable;
  }

  writeVariable(owner: variables.Owner, variable: variables.Variable): void {
    if (owner.scope === 'thread') this.threads = { ...this.threads, [variable.name]: owner.id };
    this.written.set(`${owner.scope}/${variable.name}`, { owner, variable, name: variable.name });
  }

  deleteVariable(owner: variables.Owner, name: string): void {
    this.written.set(`${owner.scope}/${name}`, { owner, name });
  }

  /** How many writes the commit will hold besides the run's own. */
  get weight(): number {
    return this.written.size;
  }

  /** How many log lines wait for the commit; each KiB of their text counts as one more. */
  get lines(): number {
    return this.tail.length + Math.floor(this.logged / 1024);
  }

  /** What to commit: the run as it stands now, and the variables it wrote. */
  async settle(outcome: Partial<Pick<Run, 'status' | 'code' | 'message'>>): Promise<{ run: Run; writes: Write[] }> {
    const writes = await Promise.all(
      [...this.written.values()].map(({ owner, variable, name }) =>
        variable === undefined ? variables.toDeletion(owner, name) : variables.toWrite(this.ports, owner, variable),
      ),
    );
    const { pause: _, ...base } = this.base;
    const run: Run = {
      ...base,
      ...(this.pause === undefined ? {} : { pause: this.pause }),
      threads: this.threads,
      pauses: Math.max(this.base.pauses, this.pause?.number ?? 0),
      ...outcome,
      seq: this.base.seq + 1,
      updated: Math.max(this.ports.clock.now(), this.base.created),
      at: this.at,
      step: this.step,
      flow: this.flow,
      data: this.data,
      metadata: this.metadata,
      interrupted: this.interrupted,
      ...(this.raised === undefined ? {} : { raised: this.raised }),
      tail: this.tail,
      lastLine: this.lastLine,
    };
    return { run, writes };
  }
}
