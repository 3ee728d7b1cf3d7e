import type { Table } from './table.ts';

/** Why `Watch.next` resolved: data may have changed, the timeout elapsed, or the watch was closed. */
export type Woken = 'changed' | 'quiet' | 'over';

/** Watches the items that a reader reads repeatedly. */
export interface Watch {
  /** Begins a reading. Items read through the returned table are watched, in place of those read before. */
  begin(): Table;
  /** Watches what the present reading of another watch reads, in place of what was read before. */
  join(other: Watch): void;
  /**
   * Resolves when something that was read may have changed, and after `atMost` milliseconds at the latest. `isBusy`: the
   * last reading found changes, so an implementation that polls uses a shorter interval.
   */
  next(atMost: number, isBusy: boolean): Promise<Woken>;
  /** Closes the watch: a pending `next`, and each later one, resolves with `over`. */
  close(): void;
}

/** Signals readers when to read again. It may signal without a change, and may miss changes by other processes. */
export interface Changes {
  watch(table: Table): Watch;
}
