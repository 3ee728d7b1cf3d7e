import type { Failure, Level, LogLine, Run } from '../domain/runs.ts';
import { LONGEST_FLOW } from '../domain/runs.ts';
import * as variables from '../domain/variables.ts';
import type { Ports, Write } from '../ports.ts';

export type EnginePorts = Pick<Ports, 'table' | 'blobs' | 'executions' | 'clock' | 'settings'>;

/** A variable as the run sees it: undefined after it deleted it. */
type Written = { readonly owner: variables.Owner; readonly variable?: variables.Variable; readonly name: string };

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
  private lastLine: number;
  private readonly base: Run;
  private readonly flow: string[];
  private readonly seen: Set<string>;
  private readonly tail: LogLine[];
  private readonly written = new Map<string, Written>();

  constructor(ports: EnginePorts, run: Run) {
    this.ports = ports;
    this.base = run;
    this.lastLine = run.lastLine;
    this.data = run.data;
    this.at = run.at;
    this.step = run.step;
    this.metadata = run.metadata;
    this.interrupted = run.interrupted;
    this.raised = run.raised;
    this.flow = [...run.flow];
    this.seen = new Set(run.flow);
    this.tail = [...run.tail];
  }

  get run(): Run {
    return this.base;
  }

  /** The full error code: brand and code. */
  branded(code: string): string {
    return `${this.ports.settings.brand}.${code}`;
  }

  log(text: string, level: Level = 'info', state = this.at): void {
    this.lastLine = Math.max(this.lastLine + 1, this.ports.clock.now() * 1000);
    this.tail.push({ t: this.lastLine, level, text, ...(state === '' ? {} : { state }) });
  }

  enter(state: string): void {
    this.at = state;
    this.step += 1;
    if (this.flow.length < LONGEST_FLOW || !this.seen.has(state)) this.flow.push(state);
    this.seen.add(state);
  }

  async readVariable(owner: variables.Owner, name: string): Promise<variables.Variable | undefined> {
    const own = this.written.get(`${owner.scope}/${name}`);
    return own === undefined ? variables.find(this.ports, owner, name) : own.variable;
  }

  writeVariable(owner: variables.Owner, variable: variables.Variable): void {
    this.written.set(`${owner.scope}/${variable.name}`, { owner, variable, name: variable.name });
  }

  deleteVariable(owner: variables.Owner, name: string): void {
    this.written.set(`${owner.scope}/${name}`, { owner, name });
  }

  /** How many writes the commit will hold besides the run's own. */
  get weight(): number {
    return this.written.size;
  }

  /** How many bytes of log lines wait for the commit, about. */
  get lines(): number {
    return this.tail.length;
  }

  /** What to commit: the run as it stands now, and the variables it wrote. */
  async settle(outcome: Partial<Pick<Run, 'status' | 'code' | 'message'>>): Promise<{ run: Run; writes: Write[] }> {
    const writes = await Promise.all(
      [...this.written.values()].map(({ owner, variable, name }) =>
        variable === undefined ? variables.toDeletion(owner, name) : variables.toWrite(this.ports, owner, variable),
      ),
    );
    const run: Run = {
      ...this.base,
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
