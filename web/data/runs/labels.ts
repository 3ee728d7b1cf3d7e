import { signal } from '@preact/signals';
import type { InstanceRow } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';

/** The labels of a run. */
export type Labels = NonNullable<InstanceRow['labels']>;

const NONE: Labels = {};
const FIRST_MS = 100;
const AGAIN_MS = 2000;
/** A run has its labels before its first state. */
const SETTLED_MS = 5000;

/**
 * The labels of the runs of a list. To read them costs the service an item a run, so that they are not part of its
 * stream: they are asked for once, for rows whose labels are not known, and at most every two seconds.
 */
export class RunLabels {
  /** By the id of the run. */
  readonly known = signal<ReadonlyMap<string, Labels>>(new Map());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #askedAt = 0;

  /** Asks for the labels of these rows, by `ask`, if some are not known. */
  want(rows: readonly InstanceRow[], ask: () => Promise<readonly InstanceRow[]>): void {
    clearTimeout(this.#timer);
    if (rows.every(({ id }) => this.known.peek().has(id))) return;
    const delay = Math.max(FIRST_MS, this.#askedAt + AGAIN_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#askedAt = Date.now();
      // Without them, the rows show none.
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
