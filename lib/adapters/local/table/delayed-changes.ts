import type { LocalDatabase } from '../database/database.ts';

interface DelayedChange {
  readonly at: number;
  readonly work: () => void;
}

/** Runs changes in their order, each so many calls after the call that made it. */
export function delayedChanges(database: LocalDatabase, calls: number) {
  const waiting: DelayedChange[] = [];
  let now = 0;
  return {
    delay(work: () => void): void {
      if (calls === 0) work();
      else waiting.push({ at: now + calls, work });
    },
    /** A call begins: changes that are due are made now. */
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
