import { signal } from '@preact/signals';
import type { InstanceRow } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';

/** The labels of a run. */
export type Labels = NonNullable<InstanceRow['labels']>;

const NONE: Labels = {};
const FIRST_MS = 100;
const AGAIN_MS = 2000;
/** A run of this age has its labels: they are set before the first state. */
const SETTLED_MS = 5000;

/**
 * The labels of the runs of a list. The service reads one item per run for them, so the stream of the list lacks them:
 * they are requested once for new rows, at most every two seconds.
 */
export class RunLabels {
  /** By the id of the run. */
  readonly known = signal<ReadonlyMap<string, Labels>>(new Map());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askedAt = 0;

  /** Requests the labels of these rows with `ask` if some are missing. */
  want(rows: readonly InstanceRow[], ask: () => Promise<readonly InstanceRow[]>): void {
    clearTimeout(this.#timer);
    if (rows.every(({ id }) => this.known.peek().has(id))) return;
    const delay = Math.max(FIRST_MS, this.#askedAt + AGAIN_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#askedAt = Date.now();
      // After an error, the rows show no labels.
      void ask().then((found) => this.#note(found), console.warn);
    }, delay);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #note(found: readonly InstanceRow[]): void {
    const settled = Date.now() - SETTLED_MS;
    const isSettled = ({ labels, createdAt }: InstanceRow) => labels !== undefined || instantOf(createdAt) < settled;
    const read = found.filter(isSettled).map(({ id, labels = NONE }) => [id, labels] as const);
    this.known.value = new Map([...this.known.peek(), ...read]);
  }
}
