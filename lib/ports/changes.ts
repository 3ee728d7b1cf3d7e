import type { Table } from './table.ts';

/** What woke who watches: what was read may have changed, the time was over, or nobody may watch any longer. */
export type Woken = 'changed' | 'quiet' | 'over';

/** Watches what somebody reads again and again. */
export interface Watch {
  /** A reading begins: what is read through this table is watched, what was read before no longer. */
  begin(): Table;
  /**
   * Resolves as soon as something that was read may have changed, at latest after `atMost` milliseconds. `isBusy`: the
   * last reading found news, so that who has to ask asks sooner.
   */
  next(atMost: number, isBusy: boolean): Promise<Woken>;
  /** Ends it: who waits in `next` gets `over`. */
  close(): void;
}

/** Tells those who keep reading when to read again. It may tell too often; what others write it may miss. */
export interface Changes {
  watch(table: Table): Watch;
}
