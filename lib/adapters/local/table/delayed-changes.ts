import type { LocalDatabase } from '../database/database.ts';

interface DelayedChange {
  readonly at: number;
  readonly work: () => void;
}

/** Runs changes in order, each after this number of further calls, to test eventually consistent indexes. */
export function delayedChanges(database: LocalDatabase, calls: number) {
  const waiting: DelayedChange[] = [];
  let now = 0;
  return {
    delay(work: () => void): void {
      if (calls === 0) work();
      else waiting.push({ at: now + calls, work });
    },
    /** Counts a call, and runs the changes that are due. */
    pass(): void {
      if (calls === 0) return;
      now += 1;
      const due = waiting.filter(({ at }) => at <= now);
      waiting.splice(0, due.length);
      if (due.length === 0) return;
      database.write(() => {
        for (const { work } of due) work();
      });
    },
  };
}
