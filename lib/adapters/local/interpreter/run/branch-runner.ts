import type { Clock } from '../../../../ports/clock.ts';
import { isComplete, newBranchGroup, outputsOf, startNextBranches } from '../context/branch-group.ts';
import { assertWithin, type Limits } from '../context/limits.ts';
import { toStatesError, toStoredError } from '../context/states-error.ts';
import type { BranchGroup, BranchGroupPlan, Thread } from '../context/thread.ts';
import { STATE_HANDLERS } from '../states/handlers.ts';
import type { ThreadWriter } from './thread-writer.ts';

/** Gives a thread the result, or the error, for which it waited. */
export type Settle = (thread: Thread, phase: 'result' | 'failed', work: string) => void;

/** The dependencies of a branch runner. */
export interface BranchRunnerProps {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly threads: ThreadWriter;
  readonly settle: Settle;
  /** Runs a branch that has started. */
  readonly drive: (thread: Thread) => void;
}

/** Starts the branches of Parallel and Map states and collects their outputs. */
export class BranchRunner {
  readonly #props: BranchRunnerProps;

  constructor(props: BranchRunnerProps) {
    this.#props = props;
  }

  /** Lets the thread wait for a new branch group. */
  fork(parent: Thread, plan: BranchGroupPlan): void {
    const { threads } = this.#props;
    parent.branchGroup = newBranchGroup(plan);
    threads.setPhase(parent, 'children', {}, JSON.stringify(plan));
    const { work } = STATE_HANDLERS[parent.state.type].events;
    if (threads.countHistory(parent, work)) this.advance(parent);
  }

  /** Starts the branches that may start now. When all have ended, their outputs become the parent's result. */
  advance(parent: Thread): void {
    const { clock, threads, drive } = this.#props;
    const { branchGroup } = parent;
    if (!branchGroup) return;
    if (isComplete(branchGroup)) this.#complete(parent, branchGroup);
    for (const branch of startNextBranches(parent, clock.now())) {
      threads.setPhase(branch, branch.phase);
      // The start of an iteration, or the entry into the first state of a branch.
      if (!threads.countHistory(branch, 1)) return;
      drive(branch);
    }
  }

  /** Ends a branch with its output; false when the thread is no branch but the root of its execution. */
  end(branch: Thread, output: string): boolean {
    const { threads } = this.#props;
    const { parent } = branch;
    if (!parent?.branchGroup) return false;
    threads.setPhase(branch, 'ended', {}, output);
    parent.branchGroup.running--;
    const isIteration = parent.branchGroup.plan.items !== undefined;
    if (!isIteration || threads.countHistory(branch, 1)) this.advance(parent);
    return true;
  }

  #complete(parent: Thread, branchGroup: BranchGroup): void {
    const { limits, settle } = this.#props;
    try {
      const output = outputsOf(branchGroup);
      assertWithin(limits.bytes, 'the result', output);
      settle(parent, 'result', output);
    } catch (thrown) {
      settle(parent, 'failed', toStoredError(toStatesError(thrown)));
    }
  }
}
