import type { Activity } from '../concurrency/activity.ts';
import { ConcurrencyGate } from '../concurrency/gate.ts';
import type { Timers } from '../concurrency/timers.ts';
import { waitUntilStored } from '../interpreter/context/runtime.ts';
import type { Execution } from '../interpreter/context/thread.ts';
import type { ExecutionsJournal } from './journal.ts';
import type { OwedRow } from './schema.ts';

/** An execution that ended and did not succeed. */
export interface EndedExecution {
  readonly handle: string;
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error?: string;
  readonly cause?: string;
}

/** Is told of an end; told again, after a pause, if it throws. */
export type OnEnd = (ended: EndedExecution) => Promise<void> | void;

export interface NoticesProps {
  readonly onEnd: OnEnd;
  readonly journal: ExecutionsJournal;
  readonly timers: Timers;
  readonly activity: Activity;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An execution that fails is often one of many, and whoever is told of it works for each. */
const AT_A_TIME = 16;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Success needs no telling: whoever made the machine had its last step for that. */
export const isOwed = ({ outcome }: Execution): boolean => outcome !== undefined && outcome.status !== 'SUCCEEDED';

/** Tells of the ends that the journal owes somebody, each at least once, however often the process dies meanwhile. */
export class Notices {
  readonly #props: NoticesProps;
  readonly #turnstile = new ConcurrencyGate(AT_A_TIME);
  #former: readonly OwedRow[];
  #closed = false;

  constructor(props: NoticesProps) {
    this.#props = props;
    this.#former = props.journal.owed();
  }

  /** Tells of an execution that has just ended, once its end is stored. */
  async tell(execution: Execution): Promise<void> {
    if (!isOwed(execution)) return;
    const done = this.#props.activity.begin();
    await waitUntilStored(this.#props);
    await this.#tell(execution.id, endedOf({ ...execution, ...execution.outcome }));
    done();
  }

  /** Tells of what a former process did not. */
  resume(): void {
    for (const row of this.#former) void this.#tell(row.execution, endedOf(row));
    this.#former = [];
  }

  /** Nobody is told any more; what is owed is told after the next `resume`. */
  close(): void {
    this.#closed = true;
  }

  async #tell(id: number, ended: EndedExecution, pause = FIRST_PAUSE_MS): Promise<void> {
    const { activity, journal, timers, now, onEnd } = this.#props;
    const done = activity.begin();
    try {
      await this.#turnstile.run(async () => {
        if (this.#closed) return;
        await onEnd(ended);
        journal.settle(id);
      });
    } catch (error) {
      if (this.#closed) return;
      console.error(`nobody could take note that execution ${ended.name} ended; it is told again`, error);
      const longer = Math.min(2 * pause, LONGEST_PAUSE_MS);
      timers.at(now() + pause, () => void this.#tell(id, ended, longer));
    } finally {
      done();
    }
  }
}

type Row = { readonly [field in 'error' | 'cause' | 'status']?: string | null | undefined } & {
  readonly handle: string;
  readonly name: string;
};

function endedOf({ handle, name, status, error, cause }: Row): EndedExecution {
  return {
    handle,
    name,
    status: status as EndedExecution['status'],
    ...(error == null ? {} : { error }),
    ...(cause == null ? {} : { cause }),
  };
}
