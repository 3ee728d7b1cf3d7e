import type { StatePlan } from '../../../compiler/plan/plan.ts';
import type { RunLimits } from '../../../domain/run-limits.ts';
import type { Change, Failure, Level, Run } from '../../../domain/runs/runs.ts';
import { MAX_FLOW } from '../../../domain/runs/runs.ts';
import { Tally } from '../../../domain/runs/tallies.ts';
import type { Outbox, ReusedCalls, Wait } from '../../../domain/runs/waits.ts';
import { timeOf } from '../../../domain/storage/ids.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { EnginePorts } from '../../ports.ts';
import { endEvent, failureAlert, lateAlert, startEvent } from './broadcasts.ts';
import { EventBuffer } from './event-buffer.ts';
import { listenerWrites } from './listener-writes.ts';
import { LogBuffer } from './log-buffer.ts';
import { Recorder } from './recorder.ts';
import { VariableBuffer } from './variable-buffer.ts';

/** How a run ends; empty: it does not end with this commit. */
export type Ending = Partial<Pick<Run, 'status' | 'code' | 'message'>>;

/** The visits of one state that a record keeps whole before it counts those in the middle of a loop. */
const FIRST_VISITS = 3;

/**
 * The time in the ids of a run's calls: its last commit. A run that was never committed after its start takes it from its
 * own id, as it may be made a second time and must find the same children.
 */
const originOf = ({ id, created, updated }: Run): number => (updated === created ? timeOf(id) : updated);

/** The calls that a run has taken over; after its first state, only the visits, which later repetitions need. */
const reuseOf = (reuse: ReusedCalls | undefined, isFirstState: boolean): Pick<Run, 'reuse'> =>
  reuse === undefined ? {} : { reuse: isFirstState ? reuse : { visits: reuse.visits } };

/**
 * A unit of work: the changes of a step to a run before it commits. Its buffers hold the log, the variables and the
 * events; no change is visible to others before the commit.
 */
export class UnitOfWork<P extends EnginePorts = EnginePorts> {
  readonly ports: P;
  /** The run as it was read. */
  readonly run: Run;
  readonly variables: VariableBuffer;
  /** Collects the new steps of the run's record. */
  readonly recorder: Recorder;
  data: Record<string, unknown>;
  /** The id of the present state. */
  at: string;
  /** How many states the run has entered. */
  step: number;
  metadata: string;
  labels: Run['labels'];
  /** The event that cancels the run. */
  cancelOn: Run['cancelOn'];
  interrupted: boolean;
  /** The error of an error state that the run has passed. */
  raised: Failure | undefined;
  /** The handler in whose chain of states the run is. */
  handling: Run['handling'];
  /** The limits whose failure was raised. */
  readonly exceeded: Set<keyof RunLimits>;
  /** The wait that the run leaves with this commit in another process than its machine's, and the tasks of that wait. */
  leftWait: Outbox['answer'];
  /** The wait of the present state, if it waited or waits. */
  wait: Wait | undefined;
  /** When the present state was entered, milliseconds since 1970. */
  entered: number;
  /** The commit before the present state was entered, milliseconds since 1970. */
  origin: number;
  /** When the run sent the first event after its last wait, milliseconds since 1970. */
  private sentSince: number | undefined;
  private readonly flow: string[];
  /** By state: how many of its visits are in the flow. */
  private readonly visits = new Map<string, number>();
  private readonly lines: LogBuffer;
  private readonly events: EventBuffer;
  readonly tally: Tally;

  constructor(ports: P, run: Run) {
    this.ports = ports;
    this.run = run;
    this.variables = new VariableBuffer(ports, run);
    this.data = run.data;
    this.at = run.at;
    this.step = run.step;
    this.metadata = run.metadata;
    this.labels = run.labels;
    // A step that goes on has read the events that came before the listener (`cancelByPast`).
    this.cancelOn = run.cancelOn && { ...run.cancelOn, isChecked: true };
    this.interrupted = run.interrupted;
    this.raised = run.raised;
    this.handling = run.handling;
    this.exceeded = new Set(run.exceeded);
    this.wait = run.wait;
    this.entered = run.wait?.entered ?? run.updated;
    this.origin = run.wait?.origin ?? originOf(run);
    this.sentSince = run.sentSince;
    this.flow = [...run.flow];
    for (const state of run.flow) this.visits.set(state, (this.visits.get(state) ?? 0) + 1);
    this.recorder = new Recorder(run);
    this.lines = new LogBuffer(ports.clock, run);
    this.events = new EventBuffer(ports);
    this.tally = new Tally(run.tally);
  }

  get threads(): Run['threads'] {
    return this.variables.threads;
  }

  /** The run as its children see it. */
  get caller(): Run {
    return { ...this.run, step: this.step, threads: this.threads };
  }

  /**
   * From when on an event counts for a wait that begins now, milliseconds since 1970: since its state was entered, or
   * since the run sent the first event after its last wait, as the reply may come while states between them still run.
   */
  get since(): number {
    return Math.min(this.entered, this.sentSince ?? this.entered) - this.run.settings.lookback;
  }

  /** How many writes the commit has to make before a child of the run may read. */
  get uncommitted(): number {
    return this.variables.size + this.events.size;
  }

  /** Whether a child must not begin before a commit: it may read what the run wrote, and needs a caller that is stored. */
  get mustCommitFirst(): boolean {
    return this.uncommitted > 0 || this.run.seq === 0;
  }

  /** Whether the run has entered another state since its commit, before the present one. */
  get hasPassedStates(): boolean {
    return this.step > this.run.step + (this.run.wait === undefined ? 1 : 0);
  }

  /** How many writes the commit holds besides the run: also the listeners of a wait that is over. */
  get commitSize(): number {
    return this.uncommitted + Number(this.cancelOn !== undefined) + (this.run.wait?.listening?.filters.length ?? 0);
  }

  /** How many log lines the commit holds; each KiB of their text counts as one more. */
  get logSize(): number {
    return this.lines.size;
  }

  /** The text of all log lines of the run, bytes. */
  get logBytes(): number {
    return this.lines.bytes;
  }

  /** The full error code: brand and code. */
  branded(code: string): string {
    return `${this.ports.settings.brand}.${code}`;
  }

  /** Adds a line to the log of the run, about now or an earlier time in milliseconds since 1970. */
  log(text: string, level: Level = 'info', state = this.at, at?: number): void {
    this.lines.add(text, level, state, at);
  }

  /** Sends an event of the workflow, to which others may reply; as `send`. */
  sendAsking(event: CloudEvent, at?: number): void {
    this.sentSince ??= this.entered;
    this.send(event, at);
  }

  /** Sends an event after the commit, or at a time (milliseconds since 1970). Undefined is ignored. */
  send(event: CloudEvent | undefined, at?: number): void {
    this.events.send(event, at);
  }

  /** Enters a state. */
  enter({ id, type }: Pick<StatePlan, 'id' | 'type'>): void {
    this.at = id;
    this.step += 1;
    this.entered = this.ports.clock.now();
    this.origin = originOf(this.run);
    if (this.step === 1) this.events.sendBroadcast(startEvent(this.ports, this.run));
    const visits = this.visits.get(id) ?? 0;
    const isInFlow = this.flow.length < MAX_FLOW || visits === 0;
    if (isInFlow) this.flow.push(id);
    const isRepeated = visits >= FIRST_VISITS || !isInFlow;
    this.recorder.enter({ n: this.step, state: id, type, entered: this.entered, isRepeated }, this.data);
    this.visits.set(id, visits + 1);
  }

  /** Counts a state that is done, and its transition if it has one. The newest log line gives the time. */
  leave(state: string, to: string | undefined): void {
    this.tally.add(state, Math.max(this.lines.lastTime - this.entered, 0));
    this.recorder.leave({ left: this.ports.clock.now(), to }, this.data);
    if (to !== undefined) this.tally.addTransition(state, to);
  }

  /** Counts a retry of a call in the present state. */
  countRetry(): void {
    this.tally.add(this.at, 0, 1);
  }

  /** The run as it is after the commit, and all writes that belong to it. */
  async prepareCommit(ending: Ending): Promise<Required<Change>> {
    // A run that is ended from outside ends in the middle of a state.
    if (ending.status !== undefined) endEarly(this, { code: ending.code ?? '', message: ending.message ?? '' });
    const next = this.next(ending);
    this.events.sendBroadcast(endEvent(this.ports, next));
    this.events.send(failureAlert(this.ports, next));
    const late = lateAlert(this.ports, this.run, next);
    this.events.send(late?.event, late?.at);
    const { publish, writes } = await this.events.prepare(this.run);
    const run = { ...next, outbox: omitUndefined({ publish, answer: this.leftWait }) };
    const listeners = await listenerWrites(this.ports, this.run, run);
    return { run, writes: [...(await this.variables.toWrites()), ...writes, ...listeners] };
  }

  private next(ending: Ending): Run {
    const { wait: _, sentSince: __, cancelOn: ___, reuse, ...base } = this.run;
    const { wait, labels, raised, handling, cancelOn, threads, at, step, flow, data, metadata, interrupted } = this;
    const mayReply = ending.status === undefined && wait?.isWaiting !== true;
    return {
      ...base,
      ...{ threads, at, step, flow, data, metadata, interrupted },
      ...omitUndefined({ wait, labels, raised, handling, cancelOn }),
      ...reuseOf(reuse, ending.status === undefined && step <= 1),
      // A run that has ended takes no event.
      ...(ending.status === undefined ? {} : { processedEventIds: [] }),
      ...(mayReply && this.sentSince !== undefined ? { sentSince: this.sentSince } : {}),
      waitCount: Math.max(this.run.waitCount, wait?.number ?? 0),
      ...ending,
      seq: this.run.seq + 1,
      updated: Math.max(this.ports.clock.now(), this.run.created),
      ...(this.exceeded.size === 0 ? {} : { exceeded: [...this.exceeded] }),
      ...this.lines.stored,
      tally: this.tally.stored,
      record: this.recorder.stored(ending.status !== undefined),
    };
  }
}

/** Ends the state in which a run waits from outside; `to`: the state that follows. */
export function endEarly(unit: UnitOfWork, error: Failure, to?: string): void {
  const { wait, tally, recorder, at, data, ports } = unit;
  if (wait === undefined) return;
  const now = ports.clock.now();
  tally.add(at, Math.max(now - wait.entered, 0));
  recorder.note({ error });
  recorder.noteCalls(wait);
  recorder.leave({ left: now, to }, data);
}
