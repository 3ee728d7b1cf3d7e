import type { Plan } from '../../../compiler/plan/plan.ts';
import type { Run, RunFields } from '../../../domain/runs/runs.ts';
import type { Revision } from '../../../domain/tree/revisions.ts';
import type { SecretReader } from '../../evaluation/secrets.ts';
import type { RunnerPorts } from '../../ports.ts';
import { UnitOfWork } from './unit-of-work.ts';

/**
 * Runs a child within its caller's step as far as it comes without waiting, until a time in milliseconds since 1970.
 * Returns the child as it was stored: pending without an execution, unless `chooseExecution` gave it one.
 */
export type RunInPlace = (
  child: Run,
  revision: Revision,
  until: number,
  chooseExecution?: ChooseExecution,
) => Promise<Run>;

/** Chooses the execution of a run that must continue in a machine, for the commit of the run. */
export type ChooseExecution = (run: Run) => Promise<Partial<RunFields>>;

/** When a run is interrupted and when it is killed, milliseconds since 1970. */
export interface Deadlines {
  readonly interrupt: number;
  readonly kill: number;
}

/** The tools of the states of a batch besides the ports. */
export interface Tools {
  readonly plan: Plan;
  /** The text of the workflow. */
  readonly source: string;
  readonly deadlines: Deadlines;
  /** When work that can be cut must be cut by a checkpoint, milliseconds since 1970. */
  readonly until: number;
  /**
   * The run is in a request, an event or a tick that ends soon: work that may take long, such as calls over HTTP, is
   * left to a machine.
   */
  readonly isBrief: boolean;
  readonly runInPlace: RunInPlace;
  readonly readSecrets: SecretReader;
}

/** The unit of work of a step that runs states. */
export class StepUnit extends UnitOfWork<RunnerPorts> {
  readonly tools: Tools;
  /** The run must continue in a machine after this commit, although it does not wait. */
  mustMove = false;
  /** The run has the event that ends its wait in memory only. Until this commit succeeds another event may win, so no child may begin. */
  holdsEvent = false;

  constructor(ports: RunnerPorts, run: Run, tools: Tools) {
    super(ports, run);
    this.tools = tools;
  }

  /** True also while the run holds an event: another event may still change the data with which a child would begin. */
  override get mustCommitFirst(): boolean {
    return this.holdsEvent || super.mustCommitFirst;
  }

  /** When the run's own time is over, milliseconds since 1970. A run has no time limit after an error state. */
  get deadline(): number {
    const { interrupt, kill } = this.tools.deadlines;
    if (this.handling !== undefined) return this.handling.until;
    if (this.raised !== undefined) return Number.MAX_SAFE_INTEGER;
    return this.interrupted ? kill : Math.min(interrupt, kill);
  }
}
