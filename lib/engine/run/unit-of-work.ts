import type { Plan } from '../../compiler/plan/plan.ts';
import * as events from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as variables from '../../domain/namespaces/variables.ts';
import type { Failure, Level, LogLine, Run } from '../../domain/runs/runs.ts';
import { LONGEST_FLOW } from '../../domain/runs/runs.ts';
import { Tally } from '../../domain/runs/tallies.ts';
import type { Pause, Sent } from '../../domain/runs/waits.ts';
import { timeOf } from '../../domain/storage/ids.ts';
import type { Revision } from '../../domain/tree/revisions.ts';
import { BROADCAST_DELAY_MS } from '../../events/broadcasts.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import type { Write } from '../../ports/table.ts';
import type { SecretReader } from '../evaluation/secrets.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { endEvent, startEvent } from './broadcasts.ts';
import { cut } from './log-texts.ts';

/** Runs a child within its caller's own step as far as it comes without waiting, and answers it as it was stored. */
export type RunInPlace = (child: Run, revision: Revision, until: number) => Promise<Run>;

/** When a run is interrupted and when it is killed, milliseconds since 1970. */
export interface Deadlines {
  readonly interrupt: number;
  readonly kill: number;
}

/** What states may ask of the engine besides the ports. */
export interface Tools {
  readonly ports: RunnerPorts;
  readonly runInPlace: RunInPlace;
  readonly readSecrets: SecretReader;
  readonly plan: Plan;
  readonly deadlines: Deadlines;
  /** Milliseconds since 1970: work that can stop in the middle stops and commits then. */
  readonly until: number;
}

/** A variable as the run sees it: undefined after it deleted it. */
type Written = { readonly owner: variables.Owner; readonly variable?: variables.Variable; readonly name: string };

/**
 * The time that the ids of a run's calls begin with. Of a run that was never advanced it is in its own id: it may be
 * made again later, and must find the same children.
 */
const originOf = ({ id, created, updated }: Run): number => (updated === created ? timeOf(id) : updated);

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
  private readonly tally: Tally;
  private logged = 0;
  private readonly written = new Map<string, Written>();
  private readonly sent: { readonly event: CloudEvent; readonly at: number | undefined }[] = [];

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
    this.origin = run.pause?.origin ?? originOf(run);
    this.threads = run.threads;
    this.flow = [...run.flow];
    this.seen = new Set(run.flow);
    this.tail = [...run.tail];
    this.tally = new Tally(run.tally);
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
    const shown = cut(text);
    this.tail.push({ t: this.lastLine, level, text: shown, ...(state === '' ? {} : { state }) });
    this.logged += shown.length;
  }

  enter(state: string): void {
    this.at = state;
    this.step += 1;
    this.entered = this.ports.clock.now();
    this.origin = originOf(this.base);
    if (this.step === 1) this.sendLater(startEvent(this.ports, this.base));
    if (this.flow.length < LONGEST_FLOW || !this.seen.has(state)) this.flow.push(state);
    this.seen.add(state);
  }

  /** Notes that a state is done, and where it led if not to the end. The last line told when, which saves a look at the clock. */
  leave(state: string, to: string | undefined): void {
    this.tally.add(state, Math.max(Math.floor(this.lastLine / 1000) - this.entered, 0));
    if (to !== undefined) this.tally.addTransition(state, to);
  }

  /** Notes that the present state repeats a call. */
  repeat(): void {
    this.tally.add(this.at, 0, 1);
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

  /** Sends an event after the commit, or at a time (milliseconds since 1970). */
  send(event: CloudEvent | undefined, at?: number): void {
    if (event !== undefined) this.sent.push({ event, at });
  }

  /** Sends an event that the namespace's configuration asks for: those go out late (rest-api reference, 4.7). */
  private sendLater(event: CloudEvent | undefined): void {
    this.send(event, this.ports.clock.now() + BROADCAST_DELAY_MS);
  }

  /** How many writes the commit will hold besides the run's own. */
  get weight(): number {
    return this.written.size + 2 * this.sent.length;
  }

  /** As `weight`, with the listeners that go because their wait is over. */
  get writes(): number {
    return this.weight + (this.base.pause?.listening?.filters.length ?? 0);
  }

  /** From when on an event counts for a wait that begins now, milliseconds since 1970. */
  get since(): number {
    return this.entered - this.base.told.lookback;
  }

  /** How many log lines wait for the commit; each KiB of their text counts as one more. */
  get lines(): number {
    return this.tail.length + Math.floor(this.logged / 1024);
  }

  private async variableWrites(): Promise<Write[]> {
    const written = [...this.written.values()].map(({ owner, variable, name }) =>
      variable === undefined ? variables.toDeletion(owner, name) : variables.toWrite(this.ports, owner, variable),
    );
    return Promise.all(written);
  }

  /** The records of the events sent, and what the bus is to be told of them. */
  private async eventWrites(): Promise<{ outbox: Sent[]; writes: Write[] }> {
    const { namespace: name, namespaceId: id } = this.base;
    const outbox: Sent[] = [];
    const writes: Write[] = [];
    for (const { event, at } of this.sent) {
      const times = { received: this.ports.clock.now(), due: at };
      const recorded = await events.toWrites(this.ports, id, event, times);
      writes.push(...recorded.writes);
      const message = events.toMessage({ id, name }, recorded.key, event);
      outbox.push({ message, ...(at === undefined ? {} : { at }) });
    }
    return { outbox, writes };
  }

  /** Listeners come with the pause that listens and go with it. */
  private listenerWrites(next: Run): Write[] {
    const { base } = this;
    const owner: listeners.Owner = { namespaceId: base.namespaceId, kind: 'wait', id: base.id };
    const before = base.pause?.listening;
    const after = next.status === 'pending' ? next.pause?.listening : undefined;
    if (base.pause?.number === next.pause?.number && after !== undefined) return [];
    const gone = before === undefined ? [] : listeners.toDeletions(owner, before.filters);
    if (after === undefined || next.pause === undefined) return gone;
    const { number, entered } = next.pause;
    const mode = after.filters.length === 1 ? 'simple' : after.mode === 'all' ? 'and' : 'or';
    const come = listeners.toWrites(owner, after.filters, { pause: number, mode, path: base.path, created: entered });
    const kept = new Set(come.map(placeOf));
    return [...gone.filter((write) => !kept.has(placeOf(write))), ...come];
  }

  /** What to commit: the run as it stands now, and all that goes with it. */
  async settle(outcome: Partial<Pick<Run, 'status' | 'code' | 'message'>>): Promise<{ run: Run; writes: Write[] }> {
    const { pause: _, ...base } = this.base;
    const isOver = outcome.status !== undefined;
    // Whoever ends a run from outside ends it in the middle of a state.
    if (isOver && this.pause !== undefined) {
      this.tally.add(this.at, Math.max(this.ports.clock.now() - this.pause.entered, 0));
    }
    const settled: Run = {
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
      tally: this.tally.stored,
    };
    this.sendLater(endEvent(this.ports, settled));
    const { outbox, writes: recorded } = await this.eventWrites();
    const run = { ...settled, outbox };
    return { run, writes: [...(await this.variableWrites()), ...recorded, ...this.listenerWrites(run)] };
  }
}

function placeOf(write: Write): string {
  const { pk, sk } = write.do === 'put' ? write.item : write.key;
  return `${pk} ${sk}`;
}
